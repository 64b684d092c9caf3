package org.tutti.net.udp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Who waits for multicasts, as they see it.
interface MulticastReceiver {
  /// Whether an outgoing datagram is the next one, and there is room for some datagrams of a length.
  boolean isNext(OutgoingDatagram outgoing, int count, int length);

  /// The multicast whose turn it is; null when something else is next, or nothing.
  @Nullable MulticastDatagram nextMulticast();

  /// Whether there is no room for what is next.
  boolean isNextFull();

  /// When it last said to have read something, if that was after some time, else this time.
  long movedNanos(long since);

  /// How long a datagram may be on the path to it.
  int pathBytes();

  /// Whether something is longer than any datagram.
  boolean isLong(int bytes);

  /// Whether the network breaks datagrams to it and it gets them whole.
  boolean takesWhole();

  /// Whether it wants to hear soon that the next datagram has come.
  boolean asks();

  /// Writes its part of a multicast, up to the beginning of its frame.
  ///
  /// @param multicast its number
  void writeShare(ByteBuffer out, long multicast);

  /// The next outgoing datagram has left with those for others, in some datagrams of about one length, which have asked
  /// all to say soon that they have come, or not.
  void left(int length, long multicast, int count, boolean asked);

  /// The kernel says that a datagram does not fit.
  ///
  /// @return whether a shorter one may
  boolean tooLong(int length);

  /// Multicasts have waited for it in vain.
  void lag();

  /// What waits for it may leave in another way now.
  void attend();
}
