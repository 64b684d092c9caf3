package org.tutti.net;

import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;

/// Another node, and the connections to it: at most one that we opened and one that it opened.
///
/// Both may exist when both sides connect at the same time. Each side sends on the connection that was completed last
/// and reads from both, so nothing has to be agreed: a node that came back is heard and answered on its new connection
/// even while the old one looks alive.
final class Peer {
  final Address address;
  final @Nullable Endpoint endpoint;

  /// Opened by us, perhaps not complete yet.
  @Nullable Connection own;

  /// Opened by the peer, complete.
  @Nullable Connection accepted;

  /// The one we send on: own, accepted, or null.
  @Nullable Connection current;

  /// A claim was refused since the last onReady.
  boolean refused;

  /// A connection attempt is due at `retryAtNanos`.
  boolean wanted;

  /// On the list of peers that need attention.
  boolean listed;

  boolean everClaimed;
  long claimedAtNanos;
  long retryAtNanos;
  private long backoffNanos;

  /// Something was written after the last byte arrived, first at `writtenAtNanos`.
  private boolean unanswered;

  private long writtenAtNanos;

  Peer(Address address, long nowNanos) {
    this.address = address;
    this.endpoint = Endpoint.ofLiteral(address);
    this.retryAtNanos = nowNanos;
  }

  /// Takes a complete connection into use.
  ///
  /// @return the connection that it replaces, to be closed, or null
  @Nullable Connection use(Connection connection) {
    Connection replaced = null;
    if (connection.isOutbound()) {
      own = connection;
    } else {
      // A node opens one connection at a time: its older one is dead, even if the kernel does not know yet.
      replaced = accepted;
      accepted = connection;
    }
    current = connection;
    unanswered = false;
    backoffNanos = 0;
    return replaced;
  }

  /// Forgets a closed connection and goes on with the other one, if there is one.
  void drop(Connection connection) {
    if (own == connection) {
      own = null;
    }
    if (accepted == connection) {
      accepted = null;
    }
    if (current == connection) {
      current = own != null && own.isOpen() ? own : accepted;
      unanswered = false;
    }
  }

  /// Postpones the next attempt.
  void backOff(long nowNanos, TcpConfig config) {
    backoffNanos = Math.clamp(2 * backoffNanos, config.backoffMin().toNanos(), config.backoffMax().toNanos());
    retryAtNanos = nowNanos + backoffNanos;
  }

  /// Whether no connection exists or is being made.
  boolean isApart() {
    return own == null && accepted == null;
  }

  /// Whether a frame of any size could be claimed.
  boolean isRoomy() {
    return current != null && current.isRoomy();
  }

  /// Bytes were handed to the socket.
  void wrote(long nowNanos) {
    if (!unanswered) {
      unanswered = true;
      writtenAtNanos = nowNanos;
    }
  }

  /// Bytes arrived.
  void heard() {
    unanswered = false;
  }

  /// Whether the peer was written to and has said nothing for too long.
  boolean isSilent(long nowNanos, long silenceNanosMax) {
    return unanswered && nowNanos - writtenAtNanos > silenceNanosMax;
  }
}
