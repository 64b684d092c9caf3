package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;

class HoldBackQueueTest {
  private static final View VIEW = primary(1, A, B, C);

  private final Log log = new Log(VIEW, 2, 0, Ordering.SEQUENCER, _ -> {});
  private final HoldBackQueue room = new HoldBackQueue(log, 1000);
  private final List<String> entered = new ArrayList<>();
  private final Set<Integer> seen = new HashSet<>();

  private static Batch batch(int rank, long seq, int size, CausalPast.Lane... past) {
    return new Batch(
        VIEW.members().get(rank),
        seq,
        Batch.Kind.CAUSAL,
        0,
        new CausalPast(0, List.of(past)),
        1,
        ByteBuffer.allocate(size));
  }

  private boolean arrives(int rank, long seq, CausalPast.Lane... past) {
    return arrives(rank, seq, seen.add(rank), false, past);
  }

  private boolean arrives(int rank, long seq, boolean first, boolean apart, CausalPast.Lane... past) {
    boolean taken = room.enter(rank, batch(rank, seq, 1, past), first, apart);
    for (Batch next = room.next(); next != null; next = room.next()) {
      log.add(VIEW.rankOf(next.sender()), next);
      entered.add("" + next.sender().name() + next.seq());
    }
    return taken;
  }

  private static CausalPast.Lane until(int rank, long next) {
    return new CausalPast.Lane(rank, next);
  }

  @Test
  void whatSaysNothingOfOthersGoesThrough() {
    assertThat(arrives(0, 0)).isTrue();
    assertThat(arrives(0, 1)).isTrue();
    assertThat(arrives(1, 7)).as("the first one of a sender in the view").isTrue();
    assertThat(entered).containsExactly("a0", "a1", "b7");
  }

  @Test
  void anEffectWaitsForItsCauses() {
    arrives(1, 0, until(0, 2), until(2, 5));
    arrives(0, 0);
    arrives(2, 4);
    assertThat(entered).containsExactly("a0", "c4");
    arrives(0, 1);
    assertThat(entered).containsExactly("a0", "c4", "a1", "b0");
  }

  @Test
  void whatFollowsInALaneWaitsToo() {
    arrives(1, 0, until(0, 1));
    arrives(1, 1);
    arrives(2, 0, until(1, 2));
    assertThat(entered).isEmpty();
    arrives(0, 0);
    assertThat(entered).containsExactly("a0", "b0", "b1", "c0");
  }

  @Test
  void onlyASendersNextOneIsTaken() {
    arrives(1, 3, until(0, 1));
    assertThat(arrives(1, 5)).isFalse();
    assertThat(arrives(1, 3)).isFalse();
    assertThat(arrives(1, 4)).isTrue();
    arrives(0, 0);
    assertThat(entered).containsExactly("a0", "b3", "b4");
    assertThat(arrives(1, 4)).isFalse();
    assertThat(arrives(1, 5)).isTrue();
  }

  @Test
  void whatWaitsWhenTheViewEndsWasNotReceived() {
    arrives(1, 0, until(0, 1));
    room.clear();
    arrives(0, 0);
    assertThat(entered).containsExactly("a0");
    assertThat(arrives(1, 0, true, false)).isTrue();
    assertThat(entered).containsExactly("a0", "b0");
  }

  @Test
  void aSenderHasItsBounds() {
    room.enter(1, batch(1, 0, 600, until(0, 1)), true, false);
    assertThat(room.isFull(1)).isFalse();
    room.enter(1, batch(1, 1, 600), false, false);
    assertThat(room.isFull(1)).isTrue();
    assertThat(room.isFull(2)).isFalse();
    arrives(0, 0);
    assertThat(room.isFull(1)).isFalse();
  }

  @Test
  void whatTookTheOtherWayWaitsForTheBatchesThatItHasOvertaken() {
    arrives(0, 4);
    assertThat(arrives(0, 7, false, true)).isTrue();
    assertThat(arrives(0, 8, false, false)).as("behind one that has overtaken").isTrue();
    assertThat(entered).containsExactly("a4");
    assertThat(arrives(0, 5, false, true)).isTrue();
    assertThat(entered).containsExactly("a4", "a5");
    assertThat(arrives(0, 6, false, false)).isTrue();
    assertThat(entered).containsExactly("a4", "a5", "a6", "a7", "a8");
    room.check();
  }

  @Test
  void aLaneBeginsWithItsFirstBatchAlthoughAnotherOneComesBefore() {
    assertThat(arrives(0, 5, false, true)).isTrue();
    assertThat(entered).isEmpty();
    assertThat(arrives(0, 4, true, false)).isTrue();
    assertThat(entered).containsExactly("a4", "a5");
  }

  @Test
  void whatCannotHaveOvertakenAnythingIsNotTaken() {
    arrives(0, 4);
    assertThat(arrives(0, 6, false, false)).as("came the same way as the one that is missing").isFalse();
    assertThat(arrives(0, 6, false, true)).isTrue();
    assertThat(arrives(0, 6, false, true)).as("once more").isFalse();
    assertThat(arrives(0, 3, false, true)).as("before the lane").isFalse();
    assertThat(arrives(0, 9, true, false)).as("a second first one").isFalse();
  }

  @Test
  void whatIsBehindAGapCountsAsWaiting() {
    arrives(1, 0);
    room.enter(1, batch(1, 2, 600), false, true);
    assertThat(room.isFull(1)).isFalse();
    room.enter(1, batch(1, 3, 600), false, false);
    assertThat(room.isFull(1)).isTrue();
    room.clear();
    assertThat(room.isFull(1)).isFalse();
  }
}
