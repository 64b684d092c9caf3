package org.tutti.domain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.batch;
import static org.tutti.Members.primary;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.domain.Frontier.Message.Said;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect.Broadcast;
import org.tutti.order.Clock;
import org.tutti.order.Log;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;

/// How low the stamp of a delivery to come can be, at A in a view of three.
class FrontierTest {
  private static final View VIEW = primary(1, A, B, C);

  private final Clock clock = new Clock();
  private final RecordingEffects<Frontier.Message> effects = new RecordingEffects<>();
  private final Log log = new Log(VIEW, 0, 0, Ordering.SEQUENCER, _ -> {});
  private final Frontier frontier =
      new Frontier(
          new TotalOrder.Context(0, VIEW, 0, _ -> true, clock, _ -> false, Duration.ofMillis(100)), 20, effects);

  private void has(int rank, Batch batch) {
    clock.witness(batch.stamp());
    assertThat(log.add(rank, batch)).isTrue();
    frontier.arrived(rank, batch.seq(), batch.stamp());
  }

  @Test
  void aViewBeginsAboveItsMembersClocks() {
    assertThat(frontier.bound(log)).isEqualTo(21);
  }

  @Test
  void theLeastAdvancedMemberDecides() {
    frontier.receive(1, new Said(40, 0, 0));
    assertThat(frontier.bound(log)).isEqualTo(21);
    frontier.receive(2, new Said(30, 0, 0));
    assertThat(frontier.bound(log)).isEqualTo(31);
    assertThat(clock.now()).isEqualTo(40);
  }

  @Test
  void aBatchThatIsNotDeliveredCountsWithItsStamp() {
    frontier.receive(1, new Said(50, 0, 0));
    has(2, batch(C, 0).sent(33, CausalPast.NONE));
    has(2, batch(C, 1).sent(60, CausalPast.NONE));
    assertThat(frontier.bound(log)).isEqualTo(33);
    frontier.delivered(2, 0);
    assertThat(frontier.bound(log)).isEqualTo(51);
    frontier.delivered(2, 1);
    frontier.receive(1, new Said(90, 0, 0));
    assertThat(frontier.bound(log)).isEqualTo(61);
  }

  @Test
  void ownBatchesCountUntilTheyAreDeliveredAndNothingOwnAfterThat() {
    frontier.receive(1, new Said(50, 0, 0));
    frontier.receive(2, new Said(50, 0, 0));
    has(0, batch(A, 0).sent(25, CausalPast.NONE));
    assertThat(frontier.bound(log)).isEqualTo(25);
    frontier.delivered(0, 0);
    assertThat(frontier.bound(log)).isEqualTo(51);
  }

  @Test
  void aQuestionIsAskedOnceAndCarriesTheOwnClock() {
    clock.witness(44);
    frontier.ask(40);
    frontier.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Said(44, 0, 40)));
    frontier.ask(40);
    frontier.flush();
    assertThat(effects.take()).isEmpty();
  }

  @Test
  void whoIsAskedAnswersUnlessItHasSaidEnough() {
    frontier.receive(1, new Said(50, 0, 48));
    frontier.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Said(50, 0, 0)));
    frontier.receive(2, new Said(50, 0, 49));
    frontier.flush();
    assertThat(effects.take()).isEmpty();
  }

  @Test
  void anOwnBatchAnswersToo() {
    frontier.arrived(0, 0, 70);
    frontier.receive(1, new Said(50, 0, 60));
    frontier.flush();
    assertThat(effects.take()).isEmpty();
  }

  @Test
  void aClockCountsWhenTheBatchesAreHereThatWereSentBefore() {
    frontier.receive(1, new Said(50, 0, 0));
    frontier.receive(2, new Said(90, 2, 0));
    assertThat(clock.now()).isEqualTo(90);
    has(2, batch(C, 0).sent(33, CausalPast.NONE));
    frontier.delivered(2, 0);
    assertThat(frontier.bound(log)).as("its second batch may have a stamp from 34 on").isEqualTo(34);
    frontier.check();
    has(2, batch(C, 1).sent(40, CausalPast.NONE));
    frontier.delivered(2, 1);
    assertThat(frontier.bound(log)).isEqualTo(51);
  }

  /// Somebody may come with the next view who has heard of nothing beyond what this member has reported.
  @Test
  void whoIsAloneBoundsNothingUntilItIsWedged() {
    View alone = primary(1, A);
    var own =
        new Frontier(
            new TotalOrder.Context(0, alone, 0, _ -> true, clock, _ -> false, Duration.ofMillis(100)), 20, effects);
    var history = new Log(alone, 0, 0, Ordering.SEQUENCER, _ -> {});
    clock.witness(40);
    assertThat(own.bound(history)).isEqualTo(Long.MAX_VALUE);
    own.stop();
    assertThat(own.bound(history)).as("it reports 40, so the next view may begin with 41").isEqualTo(41);
    clock.witness(90);
    own.stop();
    assertThat(own.bound(history)).as("the first report may be the one that counts").isEqualTo(41);
  }
}
