package org.tutti.transport;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The sending half of a transport, used by the engine thread only.
///
/// A frame is written in place: [#claim] lends a buffer that belongs to the transport, the caller fills it, [#commit]
/// hands it over. So a frame is copied once between the protocol and the socket. Nothing here blocks or throws; a frame
/// may be lost, repeated or reordered, and whoever needs more builds it above.
public interface FrameSender {
  /// Lends room for one frame to a peer.
  ///
  /// @param to     the peer
  /// @param length the frame's exact length in bytes, 1 to [Traits#frameBytesMax]
  /// @return a buffer with `length` bytes remaining from any position, valid until [#commit], the next claim or
  ///     [Transport#poll]; or null when the frame is refused (no connection yet, or the peer does not keep up): it
  ///     counts as lost, and [Receiver#onReady] tells when to try again
  @Nullable ByteBuffer claim(Address to, int length);

  /// Hands over the frame claimed last. Frames to one peer may be gathered and written later, in [Transport#poll].
  void commit();

  /// Hands over the frame claimed last, and says what it ends with. Frames for several peers that end with the same may
  /// leave as one; those that only look alike had better not, as each of them belongs with another one.
  ///
  /// @param content what the frame's last bytes are of: for all peers the same object, and for nothing else
  /// @param from    which bytes of it they begin with
  default void commit(Object content, int from) {
    commit();
  }

  /// A peer that is needed was not heard for some time: what is written to it may wait for a timer of an old
  /// connection. A transport with connections makes another one, beside the one there is until it is complete.
  ///
  /// @param to the peer
  default void renew(Address to) {}

  /// How long a frame to a peer would wait before it leaves this host, if it were claimed now.
  ///
  /// @param to the peer
  /// @return nanoseconds; below 0 when the transport does not know
  default long waitNanos(Address to) {
    return -1;
  }

  /// Whether frames with the same end for this peer and for others leave this host once, as a multicast of the network.
  /// Then it does not spare this host's line to send them from member to member, however full it is.
  ///
  /// @param to the peer
  /// @return false also while that is not known
  default boolean isMulticast(Address to) {
    return false;
  }

  /// How long a frame to a peer had better be now. Where the network loses packets, a frame that takes several of them
  /// is lost with each, so that it had better take few.
  ///
  /// @param to the peer
  /// @return bytes, at least [Traits#FRAME_BYTES_MIN] and at most [Traits#frameBytesMax]
  default int frameBytes(Address to) {
    return traits().frameBytesMax();
  }

  /// Whether a peer may be a member that votes, by what has authenticated it. A peer is known as long as there is a
  /// connection to it, so this is true of whom frames have just arrived from.
  ///
  /// @param peer the peer
  /// @return false when its certificate is only for observers; true when it may vote, when nothing authenticates peers,
  ///     or when it is not known
  default boolean mayVote(Address peer) {
    return true;
  }

  /// What this transport is like; constant.
  ///
  /// @return the traits
  Traits traits();
}
