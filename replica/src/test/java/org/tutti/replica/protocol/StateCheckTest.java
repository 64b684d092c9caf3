package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.replica.Command;
import org.tutti.replica.Divergence;
import org.tutti.replica.StateComparison;
import org.tutti.replica.StateMachine;

/// The comparison of states at replicas whose group is a queue: n1 is the senior, and one tick is a nanosecond.
class StateCheckTest {
  private static final long EVERY = 10;

  private record Message(String sender, ByteBuffer bytes) {}

  private final ArrayDeque<Message> posted = new ArrayDeque<>();
  private final List<Message> log = new ArrayList<>(); // by position
  private final List<Replica> replicas = new ArrayList<>();
  private final Replica n1 = new Replica("n1");
  private final Replica n2 = new Replica("n2");
  private final Replica n3 = new Replica("n3");
  private long now;

  private final class Replica implements StateMachine, ReplicaProtocol.Group {
    final String name;
    final List<Divergence> found = new ArrayList<>();
    final StateCheck check;
    OptionalLong digest = OptionalLong.of(0x9f3c);
    int room = Integer.MAX_VALUE;

    Replica(String name) {
      this.name = name;
      this.check = new StateCheck(name, this, this, 0);
      check.begin(EVERY, 0, found::add);
      check.viewed(List.of("n1", "n2", "n3"));
      replicas.add(this);
    }

    void apply(int position, boolean serves) {
      Message message = log.get(position);
      ByteBuffer bytes = message.bytes.duplicate();
      int kind = bytes.get();
      check.applied(message.sender, position + 1, kind, bytes, serves);
    }

    @Override
    public boolean post(ByteBuffer message) {
      if (room == 0) {
        return false;
      }
      room--;
      posted.add(new Message(name, message));
      return true;
    }

    @Override
    public OptionalLong digest() {
      return digest;
    }

    @Override
    public void confirm() {}

    @Override
    public ByteBuffer apply(Command command) {
      return command.payload();
    }

    @Override
    public Snapshot snapshot() {
      return _ -> {};
    }

    @Override
    public void restore(InputStream in) {}
  }

  /// Every replica works once, and what they post is delivered until nobody has more to say.
  private void at(long time) {
    now = time;
    work();
    while (!posted.isEmpty()) {
      deliver();
      work();
    }
  }

  private void work() {
    replicas.forEach(one -> one.check.work(now, one == n1));
  }

  private void deliver() {
    log.add(posted.remove());
    replicas.forEach(one -> one.apply(log.size() - 1, true));
  }

  private void assertFound(Divergence... expected) {
    for (Replica one : replicas) {
      assertThat(one.found).as(one.name).containsExactly(expected);
    }
  }

  @Test
  void equalStatesAreComparedNowAndThen() {
    at(EVERY - 1);
    assertThat(log).isEmpty();
    at(EVERY);
    assertThat(log).hasSize(1 + 3); // the senior's check, and everybody's digest
    at(2 * EVERY - 1);
    assertThat(log).hasSize(4);
    at(2 * EVERY);
    assertThat(log).hasSize(8);
    assertFound();
  }

  @Test
  void whoDiffersIsNamedOnceForEachComparison() {
    n2.digest = OptionalLong.of(7);
    at(EVERY);
    assertFound(new Divergence(1, Map.of("n1", 0x9f3cL, "n2", 7L, "n3", 0x9f3cL)));
    assertThat(n1.found.getFirst())
        .hasToString("different states at position 1: n1 0000000000009f3c n2 0000000000000007 n3 0000000000009f3c");
    n2.digest = n1.digest;
    at(2 * EVERY);
    assertThat(n3.found).hasSize(1);
    n3.digest = OptionalLong.of(8);
    at(3 * EVERY);
    assertThat(n1.found).hasSize(2);
  }

  @Test
  void whoSaysNothingIsWaitedForUntilTheNextComparison() {
    n2.digest = OptionalLong.of(7);
    n3.room = 0;
    at(EVERY);
    assertThat(n1.found).isEmpty();
    at(2 * EVERY);
    assertThat(n1.found).containsExactly(new Divergence(1, Map.of("n1", 0x9f3cL, "n2", 7L)));
  }

  @Test
  void aServiceWithoutDigestsIsAskedOnce() {
    replicas.forEach(one -> one.digest = OptionalLong.empty());
    at(EVERY);
    assertThat(log).hasSize(1);
    at(9 * EVERY);
    assertThat(log).hasSize(1);
  }

  @Test
  void whoHasGotItsStateLaterPassesOverDigestsOfPlacesBefore() {
    n2.digest = OptionalLong.of(7);
    now = EVERY;
    work();
    deliver();
    work();
    var newcomer = new Replica("n4");
    at(EVERY);
    assertThat(n1.found).hasSize(1);
    assertThat(newcomer.found).isEmpty();
  }

  @Test
  void aLogThatIsExecutedAgainIsComparedWithTheEarlierLife() {
    at(EVERY);
    var again = new Replica("n2");
    again.check.viewed(List.of()); // none yet
    again.digest = OptionalLong.of(8);
    for (int position = 0; position < log.size(); position++) {
      again.apply(position, false);
    }
    assertThat(again.found).hasSize(1);
    assertThat(again.found.getFirst().position()).isEqualTo(1);
    again.check.work(now, false);
    assertThat(posted).as("what was said in the earlier life is not said again").isEmpty();
    assertThat(again.found.getFirst().toString()).startsWith("different states at position 1: n1 0000000000009f3c n2 ");
  }

  @Test
  void whatHasNoRoomWaits() {
    n3.room = 0;
    for (int i = 1; i <= 100; i++) {
      at(i * EVERY);
    }
    assertThat(n3.check.isWaiting()).isTrue();
    int before = log.size();
    n3.room = Integer.MAX_VALUE;
    n3.digest = OptionalLong.of(7);
    at(100 * EVERY);
    assertThat(n3.check.isWaiting()).isFalse();
    assertThat(log.size() - before).isBetween(1, 16);
    assertFound();
    at(101 * EVERY);
    assertThat(n1.found).hasSize(1);
  }

  // ---- comparisons that a client asks for ------------------------------------------------------------------------

  private static final long SECOND = StateCheck.ASKED_EVERY_NANOS;

  private final List<StateComparison> told = new ArrayList<>();

  private boolean ask(Replica at, Object client, long id) {
    return at.check.ask(client, id, now, told::add);
  }

  @Test
  void whoAsksIsToldTheDigestsOfAll() {
    replicas.forEach(one -> one.check.begin(Long.MAX_VALUE, 0, _ -> {}));
    n3.digest = OptionalLong.of(8);
    ask(n2, "client", 1);
    ask(n2, "other", 1);
    ask(n2, "client", 1); // again, as it was not answered
    at(0);
    var expected = new StateComparison(1, new TreeMap<>(Map.of("n1", 0x9f3cL, "n2", 0x9f3cL, "n3", 8L)), List.of());
    assertThat(told).containsExactly(expected, expected);
    assertThat(expected.isEqual()).isFalse();
    n3.digest = n1.digest;
    ask(n1, "client", 2);
    at(1);
    assertThat(told).last().matches(StateComparison::isEqual);
  }

  @Test
  void statesAreComparedAtMostOnceASecondForClients() {
    replicas.forEach(one -> one.check.begin(Long.MAX_VALUE, 0, _ -> {}));
    at(0);
    for (int i = 0; i < 100; i++) {
      ask(n1, "client " + i, 1);
      at(i * SECOND / 50);
    }
    assertThat(log).hasSize(2 * 4);
    assertThat(told).hasSize(1 + 50);
    at(2 * SECOND);
    assertThat(told).hasSize(100).allMatch(StateComparison::isEqual);
  }

  @Test
  void whoSaysNothingIsNamedAfterAWhileOrIsGone() {
    replicas.forEach(one -> one.check.begin(Long.MAX_VALUE, 0, _ -> {}));
    n3.room = 0;
    ask(n1, "client", 1);
    ask(n2, "client", 2);
    at(StateCheck.ANSWER_NANOS - 1);
    assertThat(told).isEmpty();
    n2.check.viewed(List.of("n1", "n2"));
    assertThat(told).singleElement().matches(StateComparison::isEqual);
    at(StateCheck.ANSWER_NANOS);
    assertThat(told)
        .last()
        .satisfies(late -> {
          assertThat(late.silent()).containsExactly("n3");
          assertThat(late.digests()).containsOnlyKeys("n1", "n2");
          assertThat(late.isEqual()).isFalse();
        });
    n1.room = 0;
    ask(n1, "client", 3);
    at(2 * StateCheck.ANSWER_NANOS);
    assertThat(told).last().isEqualTo(new StateComparison(0, new TreeMap<>(), List.of("n1", "n2", "n3")));
  }

  @Test
  void aServiceWithoutDigestsSaysSoAtOnce() {
    replicas.forEach(one -> one.digest = OptionalLong.empty());
    ask(n2, "client", 1);
    at(0);
    assertThat(told)
        .singleElement()
        .satisfies(none -> {
          assertThat(none.position()).isEqualTo(1);
          assertThat(none.silent()).isEmpty();
          assertThat(none.digests()).isEmpty();
          assertThat(none.isEqual()).isFalse();
        });
  }

  @Test
  void whoGoesOrDoesNotWantItAnyMoreIsToldNothingAndWhoAsksTooMuchIsRefused() {
    ask(n1, "gone", 1);
    ask(n1, "patient", 1);
    ask(n1, "patient", 2);
    n1.check.forget("gone");
    n1.check.withdraw("patient", 1);
    at(0);
    assertThat(told).hasSize(1);
    for (int i = 0; i < 16; i++) {
      assertThat(ask(n1, "greedy", i)).isTrue();
    }
    assertThat(ask(n1, "greedy", 16)).isFalse();
  }
}
