package org.tutti.net.tcp;

import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Refused;

/// Another node, and the connections to it: at most one that we opened and one that it opened.
///
/// Both may exist when both sides connect at the same time. Each side sends on the connection that was completed last
/// and reads from both, so nothing has to be agreed: a node that came back is heard and answered on its new connection
/// even while the old one looks alive.
final class Peer {
  private static final int REFUSALS_MIN = 2;

  final Address address;
  final @Nullable Endpoint endpoint;

  /// Opened by us, perhaps not complete yet.
  @Nullable Connection own;

  /// Opened by us beside `own`, which says nothing; not complete yet.
  @Nullable Connection next;

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

  /// The peer's process seems to have ended, and that is to be told.
  boolean gone;

  /// Why the last attempt to connect was refused, and that is to be told.
  @Nullable Refused refusal;

  /// Another connection is in use, and that is to be told.
  boolean renewed;

  /// Whether the certificate that was shown last lets it vote; without TLS everybody may.
  boolean mayVote = true;

  boolean everClaimed;
  long renewedAtNanos;
  long claimedAtNanos;
  long retryAtNanos;
  private long backoffNanos;

  /// The last connection broke, and how often the peer's host has refused another one since.
  private boolean broken;

  private int refusals;

  /// Something was written after the last byte arrived, first at `writtenAtNanos`.
  private boolean unanswered;

  private long writtenAtNanos;

  Peer(Address address, long nowNanos) {
    this.address = address;
    this.endpoint = Endpoint.ofLiteral(address);
    this.retryAtNanos = nowNanos;
    this.renewedAtNanos = nowNanos;
  }

  /// An attempt to connect has begun.
  void dialled(Connection connection) {
    if (own != null && own.isOpen()) {
      next = connection;
    } else {
      own = connection;
    }
  }

  /// The last connection was ended by the peer or the network: another one is made, at once or when the pause is over.
  void broke(boolean atOnce, long nowNanos) {
    broken = true;
    refusals = 0;
    wanted = everClaimed;
    if (atOnce) {
      retryAtNanos = nowNanos;
    }
  }

  /// The peer's host refused a connection. Who restarts, or whose connection was replaced, is there again in a moment.
  void refuses() {
    if (broken && current == null) {
      refusals++;
      wanted = refusals < REFUSALS_MIN;
      gone = !wanted;
      broken = wanted;
    }
  }

  /// Takes a complete connection into use.
  ///
  /// @return the connection that it replaces, to be closed, or null
  @Nullable Connection use(Connection connection) {
    Connection replaced = null;
    if (connection.isOutbound()) {
      replaced = own == connection ? null : own;
      own = connection;
      next = null;
    } else {
      // A node opens one connection at a time: its older one is dead, even if the kernel does not know yet.
      replaced = accepted;
      accepted = connection;
    }
    renewed = everClaimed;
    current = connection;
    unanswered = false;
    backoffNanos = 0;
    broken = false;
    gone = false;
    return replaced;
  }

  /// Forgets a closed connection and goes on with the other one, if there is one.
  void drop(Connection connection) {
    if (own == connection) {
      own = null;
    }
    if (next == connection) {
      next = null;
    }
    if (accepted == connection) {
      accepted = null;
    }
    if (current == connection) {
      current = own != null && own.isOpen() ? own : accepted;
      renewed = current != null && everClaimed;
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
    return own == null && accepted == null && next == null;
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
