package org.tutti.replica;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A service that is replicated: all that a program has to write. Every replica has one, and each gets the same
/// commands in the same order; so all have the same state, as long as what a command does follows from the state and
/// the command alone.
///
/// ```java
/// final class Counter implements StateMachine {
///   private long value;
///
///   @Override
///   public ByteBuffer apply(Command command) {
///     value += command.payload().getLong();
///     return ByteBuffer.allocate(8).putLong(0, value);
///   }
///
///   @Override
///   public ByteBuffer query(ByteBuffer request) {
///     return ByteBuffer.allocate(8).putLong(0, value);
///   }
///
///   @Override
///   public Snapshot snapshot() {
///     long copy = value;
///     return out -> out.write(ByteBuffer.allocate(8).putLong(0, copy).array());
///   }
///
///   @Override
///   public void restore(InputStream in) throws IOException {
///     value = ByteBuffer.wrap(in.readNBytes(8)).getLong();
///   }
/// }
/// ```
///
/// **Deterministic** means: no clock ([Command#time] is the same everywhere), no random numbers but from a seed that is
/// part of the state or of the command, no iteration over unordered collections, nothing of the machine it runs on.
///
/// **Threads**: one thread of the replica calls all methods, never two at a time. [Snapshot#writeTo] runs on another
/// thread meanwhile. While a method runs, this replica executes nothing else; a method that takes long delays all
/// clients.
///
/// The approach is state-machine replication (Schneider, ACM Computing Surveys 22(4), 1990).
public interface StateMachine {
  /// Executes a command. Called once for each command, in the same order at all replicas.
  ///
  /// A [RuntimeException] is an outcome like a reply: the client gets it as [CommandFailedException] with its message,
  /// of which 8192 characters count, and the replica goes on. It has to follow from state and command, too, and to
  /// leave the state whole. An [Error] stops the replica.
  ///
  /// @param command what to do; lent until the method returns
  /// @return the reply, from position to limit; the replica's from now on, so it must not change any more
  ByteBuffer apply(Command command);

  /// Answers a question that changes nothing. Called at one replica only, between two commands; what it sees depends on
  /// the [Read] that the client has chosen. A [RuntimeException] goes to the client as a [CommandFailedException].
  ///
  /// A question that has no answer yet waits: whoever waits for a lock, or for the next change of a value, asks for
  /// it, and the service returns null as long as there is nothing to say. The replica asks it again after later
  /// commands, at the latest when the last one that has arrived is executed; the client waits until its deadline.
  ///
  /// @param request the client's bytes; lent until the method returns
  /// @return the answer, from position to limit; the replica's from now on. Null when there is none yet
  /// @throws UnsupportedOperationException by default
  default @Nullable ByteBuffer query(ByteBuffer request) {
    throw new UnsupportedOperationException("this service answers no queries");
  }

  /// A client's session has ended: the client was closed, or no replica has heard it for the life of a session. Called
  /// between the same two commands at all replicas, so what a service keeps for a session only as long as its client
  /// lives (a lock, a place in a queue) can be given up here. Nothing of the session is executed later.
  ///
  /// Has to be as deterministic as [#apply]. An exception stops the replica, as there is nobody to be told.
  ///
  /// @param session  the session: [Command#session]
  /// @param position the place among all messages of the group; several sessions may end at one
  /// @param time     the agreed time
  default void sessionEnded(long session, long position, Instant time) {}

  /// Takes a picture of the state as it is now, for a replica that joins, and for stable storage. No command is
  /// executed until the method returns, so it should only copy references: to values that never change, to a persistent
  /// collection, or to a copy of what does change.
  ///
  /// @return the picture, which must not change when later commands are executed
  Snapshot snapshot();

  /// Replaces the state by one that [Snapshot#writeTo] has written, at another replica or in an earlier life.
  ///
  /// @param in the same bytes; what the method does not read is skipped. No need to close it
  /// @throws IOException when the stream fails, because the replica that gives the state has gone: then the method is
  ///                     called again with the state of another one; or when it is not what this service writes: then
  ///                     the replica stops
  void restore(InputStream in) throws IOException;

  /// A number that follows from the state alone, so that replicas can tell whether their states are equal: now and then
  /// each gives it at the same place of the history, and a difference is reported ([Replica.Watcher#diverged]). It
  /// should be a good hash: of all that matters, or one that goes on with each command, and then is part of the state.
  ///
  /// ```java
  /// public OptionalLong digest() {
  ///   return OptionalLong.of(entries.hashCode()); // a map of values; its order does not matter
  /// }
  /// ```
  ///
  /// Called between two commands, which wait meanwhile. An exception stops the replica.
  ///
  /// @return the digest; empty by default, then states are not compared
  default OptionalLong digest() {
    return OptionalLong.empty();
  }

  /// A picture of a service's state at one moment.
  @FunctionalInterface
  interface Snapshot {
    /// Writes the state. Called on a thread of its own while further commands are executed; it may take its time.
    ///
    /// @param out where to; no need to flush or close it
    /// @throws IOException when the stream fails, because whoever needed the state is gone
    void writeTo(OutputStream out) throws IOException;
  }
}
