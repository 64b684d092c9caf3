package org.tutti.sim;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.StateMachine;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.Violation;

/// A service that is replicated in one run, what its clients ask, and what it should do.
public interface TestedService {
  /// Makes the service of one more replica.
  ///
  /// @return one that has executed nothing
  StateMachine machine();

  /// Makes what executes the same commands one by one.
  ///
  /// @return one that has executed nothing
  StateMachine model();

  /// Whether the service is also replicated passively, in some of the runs: what it changes is then all that a snapshot
  /// has, and the replica that executes a command draws a random number besides.
  ///
  /// @return whether snapshots are small enough for that
  default boolean mayBePassive() {
    return false;
  }

  /// Whether the model refuses in the same words as the service.
  ///
  /// @return whether words are compared, too
  default boolean refusesInSameWords() {
    return true;
  }

  /// How many clients there are.
  ///
  /// @return the number; 0 when it is drawn
  default int clients() {
    return 0;
  }

  /// What a client commands next.
  ///
  /// @param client its number, from 0
  /// @param random all that is drawn is drawn from here
  /// @return the service's bytes, from position to limit; never changed
  ByteBuffer command(int client, RandomGenerator random);

  /// What it asks next.
  ///
  /// @param client its number, from 0
  /// @param random all that is drawn is drawn from here
  /// @return as [#command]; null when nobody asks this service
  @Nullable ByteBuffer question(int client, RandomGenerator random);

  /// A client has the reply to a command.
  ///
  /// @param client its number
  /// @param reply  the reply
  default void replied(int client, ByteBuffer reply) {}

  /// Whether states are compared behind each command, and not only at rest.
  ///
  /// @return whether snapshots are small enough, and tell whether states are equal
  default boolean comparesStates() {
    return false;
  }

  /// Whether snapshots tell whether states are equal.
  ///
  /// @return whether they are compared at rest
  default boolean comparesStatesAtRest() {
    return true;
  }

  /// What a call asks, in words.
  ///
  /// @param payload the call's bytes
  /// @return for people
  default String words(ByteBuffer payload) {
    return ServiceHistory.text(payload);
  }

  /// The state of a service, in words.
  ///
  /// @param machine the service
  /// @return for people
  default String words(StateMachine machine) {
    return "state " + ServiceHistory.text(ByteBuffer.wrap(bytes(machine.snapshot())));
  }

  /// Looks for more that does not hold, where nothing else was found.
  ///
  /// @param history what happened
  /// @return what was found
  default List<Violation> check(ServiceHistory history) {
    return List.of();
  }

  /// Whether two snapshots are of equal states: they have the same bytes, or when each is restored and written again. A
  /// hash table may keep its entries in an order that depends on its past.
  ///
  /// @param one   a snapshot
  /// @param other another one
  /// @return whether they are
  default boolean areEqual(byte[] one, byte[] other) {
    return Arrays.equals(one, other) || Arrays.equals(again(one), again(other));
  }

  private byte[] again(byte[] snapshot) {
    StateMachine fresh = machine();
    try {
      fresh.restore(new ByteArrayInputStream(snapshot));
    } catch (IOException damaged) {
      throw new UncheckedIOException(damaged);
    }
    return bytes(fresh.snapshot());
  }

  /// Writes a snapshot.
  ///
  /// @param picture of a service's state
  /// @return its bytes
  static byte[] bytes(StateMachine.Snapshot picture) {
    var out = new ByteArrayOutputStream();
    try {
      picture.writeTo(out);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return out.toByteArray();
  }
}
