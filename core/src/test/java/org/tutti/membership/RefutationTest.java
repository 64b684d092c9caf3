package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Suspicion;
import org.tutti.View;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect.Sent;

/// The member A of {A, B, C}, with a heartbeat of 10 ms and a time of suspicion of 100 ms.
class RefutationTest {
  private static final long MILLI = 1_000_000;

  private final RecordingEffects<ViewMessage> effects = new RecordingEffects<>();
  private final Set<MemberId> silent = new TreeSet<>();
  private View view = primary(3, A, B, C);

  private Refutation with(Suspicion suspicion) {
    var tick = Duration.ofMillis(10);
    return new Refutation(A, suspicion, () -> view, silent::contains, tick, tick.multipliedBy(10), effects);
  }

  private void at(long millis) {
    effects.now = millis * MILLI;
  }

  @Test
  void stableSuspicionIsTheDetectorsOpinion() {
    Refutation stable = with(Suspicion.STABLE);
    silent.add(B);
    assertThat(stable.suspects(B)).isTrue();
    assertThat(stable.tick()).isTrue();
    assertThat(effects.take()).as("it asks nobody").isEmpty();
  }

  @Test
  void aDoubtThatNobodyRefutesBecomesASuspicion() {
    Refutation doubts = with(Suspicion.REFUTABLE);
    silent.add(B);
    assertThat(doubts.tick()).isFalse();
    assertThat(effects.take()).containsExactly(new Sent<>(C, new ViewMessage.Doubted(List.of(B))));
    at(49);
    assertThat(doubts.tick()).isFalse();
    assertThat(doubts.suspects(B)).isFalse();
    at(50);
    assertThat(doubts.tick()).as("changed").isTrue();
    assertThat(doubts.suspects(B)).isTrue();
    silent.clear();
    assertThat(doubts.suspects(B)).as("heard again").isFalse();
  }

  @Test
  void aRefutationCountsForSomeTicksAndNotForEver() {
    Refutation doubts = with(Suspicion.REFUTABLE);
    silent.add(B);
    doubts.tick();
    for (int millis = 10; millis < 500; millis += 10) {
      at(millis);
      doubts.refuted(C, List.of(B));
      assertThat(doubts.suspects(B)).as("after %d ms", millis).isFalse();
    }
    at(500);
    doubts.refuted(C, List.of(B));
    assertThat(doubts.suspects(B)).as("at its limit").isTrue();
  }

  @Test
  void aRefutationThatIsNotRepeatedEnds() {
    Refutation doubts = with(Suspicion.REFUTABLE);
    silent.add(B);
    doubts.tick();
    at(40);
    doubts.refuted(C, List.of(B));
    at(69);
    assertThat(doubts.suspects(B)).isFalse();
    at(70);
    assertThat(doubts.suspects(B)).isTrue();
  }

  @Test
  void whoeverHearsADoubtedMemberTellsAll() {
    Refutation hears = with(Suspicion.STABLE);
    hears.doubted(C, List.of(A, B));
    var refuted = new ViewMessage.Refuted(List.of(A, B));
    assertThat(effects.take()).containsExactly(new Sent<>(B, refuted), new Sent<>(C, refuted));
    silent.add(B);
    hears.doubted(C, List.of(B));
    hears.doubted(D, List.of(A));
    assertThat(effects.take()).as("not heard here, or a stranger's doubt").isEmpty();
  }

  @Test
  void inAViewOfTwoNobodyIsAsked() {
    view = primary(3, A, B);
    Refutation doubts = with(Suspicion.REFUTABLE);
    silent.add(B);
    assertThat(doubts.suspects(B)).isTrue();
  }
}
