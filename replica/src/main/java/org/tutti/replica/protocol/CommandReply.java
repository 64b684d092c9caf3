package org.tutti.replica.protocol;

import java.nio.ByteBuffer;

/// What became of a command, as it is kept in the replicated state for clients that ask again.
///
/// @param status   what the service did
/// @param position the place among the messages of the group at which it was executed; where the replication is
///                 passive, at which its outcome was delivered
/// @param payload  the reply, or, of a failure, the service's words in UTF-8; never changed
public record CommandReply(Status status, long position, ByteBuffer payload) {
  /// What the service did.
  public enum Status {
    /// It executed the command.
    DONE,
    /// It executed the command, which failed.
    FAILED,
    /// Its client had given the command up before it was executed; nothing was done.
    SKIPPED
  }

  private static final Status[] STATUSES = Status.values();

  /// How many bytes it takes in the books of a session.
  int cost() {
    return payload.remaining() + 32;
  }

  static Status status(int number) {
    if (number < 0 || number >= STATUSES.length) {
      throw new IllegalArgumentException("no status " + number);
    }
    return STATUSES[number];
  }
}
