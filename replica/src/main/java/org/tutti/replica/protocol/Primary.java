package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.Command;
import org.tutti.replica.PassiveStateMachine;

/// What a replica does as the primary of a service that is replicated passively: it executes the first command that has
/// no outcome, and multicasts the outcome. One at a time, because the next command may need what this one changes.
///
/// A replica that becomes the primary finds the commands that the one before it has left in its own state
/// ([PendingCommands]), and goes on with the first of them. The outcome of a primary that has gone either is in the
/// history before, or does not count. A client has a reply only when its outcome was delivered, so it is in the history
/// of the next primary, too.
final class Primary {
  private final PassiveStateMachine machine;
  private long executed = -1; // the position of the command that was executed last
  private long on = -1; // the version of the state then
  private @Nullable ByteBuffer unsent; // its outcome, as long as the window has no room

  Primary(PassiveStateMachine machine) {
    this.machine = machine;
  }

  /// What was multicast may be lost, or be nobody's business any more.
  void forget() {
    executed = -1;
    unsent = null;
  }

  /// Whether an outcome waits for room in the window.
  boolean isWaiting() {
    return unsent != null;
  }

  /// Executes the next command, if there is one and its outcome is not under way.
  ///
  /// @param pending the commands without an outcome
  /// @param time    the agreed time
  /// @param group   gets the outcome
  void work(PendingCommands pending, long time, ReplicaProtocol.Group group) {
    PendingCommands.Pending first = pending.first();
    if (first == null) {
      unsent = null;
      return;
    }
    if (first.position() != executed || pending.version() != on) {
      executed = first.position();
      on = pending.version();
      unsent = execute(first, time);
    }
    if (unsent != null && group.post(unsent)) {
      unsent = null;
    }
  }

  private ByteBuffer execute(PendingCommands.Pending first, long time) {
    var command =
        new Command(
            first.session(),
            first.number(),
            first.position(),
            Instant.ofEpochMilli(time),
            first.payload().asReadOnlyBuffer());
    try {
      PassiveStateMachine.Outcome outcome = machine.execute(command);
      int bytes = outcome.reply().remaining() + outcome.change().remaining();
      if (bytes < 0 || bytes > SessionTable.REPLY_BYTES_MAX) {
        throw new IllegalStateException(
            "reply and change are longer together than " + SessionTable.REPLY_BYTES_MAX + " bytes");
      }
      CommandReply.Status status = outcome.refused() ? CommandReply.Status.FAILED : CommandReply.Status.DONE;
      return OrderedMessage.change(first.position(), on, status, true, outcome.reply(), outcome.change());
    } catch (RuntimeException failure) {
      ByteBuffer none = ByteBuffer.allocate(0);
      ByteBuffer words = FailureWords.of(failure);
      return OrderedMessage.change(first.position(), on, CommandReply.Status.FAILED, false, words, none);
    }
  }
}
