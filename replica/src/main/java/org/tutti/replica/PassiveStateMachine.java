package org.tutti.replica;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// A service that may be replicated passively ([Replication#PASSIVE]): it can say what a command changes without
/// changing it. Only the primary executes a command, so what it does need not follow from the state and the command
/// alone: it may draw random numbers, read a clock, or ask another system.
///
/// **Executing and changing are two steps.** [#execute] computes the reply and the change, and leaves the state as it
/// is. The primary multicasts both, and [#change] is called at every replica, the primary too, when they are delivered.
/// So a primary that crashes or is cut off before that has changed nothing, and no replica ever takes a change back.
///
/// ```
///  execute(command)   primary only, perhaps more than once, changes nothing   --> reply, change
///  change(change)     every replica, once, in the same order                  --> the new state
/// ```
///
/// **How long it takes.** A command is executed when the change of the one before it was delivered. So a service
/// executes one command for each ordered multicast, whereas actively it executes many at once.
///
/// Threads: as [StateMachine].
public interface PassiveStateMachine extends StateMachine {
  /// What came of a command.
  ///
  /// @param refused whether the client gets the reply as a [CommandFailedException], in UTF-8
  /// @param reply   what the client gets, from position to limit; never changed from now on
  /// @param change  what [#change] is called with at every replica, from position to limit; never changed from now on;
  ///                together with the reply 8 MiB at most
  record Outcome(boolean refused, ByteBuffer reply, ByteBuffer change) {
    /// The command was executed.
    ///
    /// @param reply  what the client gets
    /// @param change what changes
    /// @return the outcome
    public static Outcome done(ByteBuffer reply, ByteBuffer change) {
      return new Outcome(false, reply, change);
    }

    /// The command was refused, and something changes nevertheless, as a count of wrong passwords does.
    ///
    /// @param words  what the client is told
    /// @param change what changes
    /// @return the outcome
    public static Outcome refused(String words, ByteBuffer change) {
      return new Outcome(true, StandardCharsets.UTF_8.encode(words), change);
    }
  }

  /// Executes a command without changing the state. Called at the primary. It is called again for the same command,
  /// here or at another replica, when its first outcome did not become part of the history: because the primary had
  /// crashed, or because a session ended meanwhile and the outcome was that of an older state. Only one outcome counts.
  ///
  /// A [RuntimeException] is an outcome, too: the client gets it as [CommandFailedException], and nothing changes.
  ///
  /// @param command what to do; its time is the agreed one at which it is executed; lent until the method returns
  /// @return the reply and the change
  Outcome execute(Command command);

  /// Changes the state as a primary has said. Called once for each executed command, in the same order at all replicas,
  /// in the state in which it was executed. Has to be deterministic. An exception stops the replica.
  ///
  /// @param position the change's place among all messages of the group; behind that of the command
  /// @param change   what [#execute] has returned; lent until the method returns
  void change(long position, ByteBuffer change);

  /// Executes a command and changes the state, where the service is replicated actively; then it has to be as
  /// deterministic as [StateMachine] says.
  ///
  /// @param command what to do
  /// @return the reply
  @Override
  default ByteBuffer apply(Command command) {
    Outcome outcome = execute(command);
    change(command.position(), outcome.change());
    if (outcome.refused()) {
      throw new IllegalStateException(StandardCharsets.UTF_8.decode(outcome.reply().duplicate()).toString());
    }
    return outcome.reply();
  }
}
