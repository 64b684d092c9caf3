package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Suspicion;
import org.tutti.View;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect.Sent;
import org.tutti.membership.ViewMessage.Sign;

/// The member A of {A, B, C, D}, with a time of suspicion of 100 ms; refutations hold for five of them at most.
class RefutationTest {
  private static final long MILLI = 1_000_000;
  private static final int SUSPECT = 100;
  private static final int LIMIT = 5;

  private final RecordingEffects<ViewMessage> effects = new RecordingEffects<>();
  private final Map<MemberId, Long> heardAt = new TreeMap<>(); // of others than these, just now
  private final Map<MemberId, Long> beats = new TreeMap<>(Map.of(A, 50L, B, 7L, C, 7L, D, 7L));
  private View view = primary(3, A, B, C, D);

  private final class Heard implements Refutation.HeardPeers {
    @Override
    public boolean isSilent(MemberId member) {
      return agoNanos(member) >= SUSPECT * MILLI;
    }

    @Override
    public long beat(MemberId member) {
      return beats.getOrDefault(member, 0L);
    }

    @Override
    public long agoNanos(MemberId member) {
      return effects.now - heardAt.getOrDefault(member, effects.now);
    }
  }

  private Refutation with(Suspicion suspicion) {
    MemberConfig config = MemberConfig.builder().suspicion(suspicion).refutedMax(LIMIT).build();
    return new Refutation(A, config, () -> view, new Heard(), Duration.ofMillis(SUSPECT), effects);
  }

  private Refutation doubting(MemberId... silent) {
    Refutation doubts = with(Suspicion.REFUTABLE);
    for (MemberId member : silent) {
      heardAt.put(member, -SUSPECT * MILLI);
    }
    doubts.tick();
    return doubts;
  }

  private void at(long millis) {
    effects.now = millis * MILLI;
  }

  private static List<Sign> heard(MemberId member, long beat, long agoMillis) {
    return List.of(new Sign(member, beat, agoMillis * MILLI));
  }

  private static ViewMessage doubt(MemberId member, long beat) {
    return new ViewMessage.Doubted(heard(member, beat, SUSPECT));
  }

  @Test
  void stableSuspicionIsTheDetectorsOpinion() {
    Refutation stable = with(Suspicion.STABLE);
    heardAt.put(B, -SUSPECT * MILLI);
    assertThat(stable.suspects(B)).isTrue();
    assertThat(stable.spares(B)).isFalse();
    assertThat(stable.tick()).isTrue();
    assertThat(effects.take()).as("it asks nobody").isEmpty();
  }

  @Test
  void aDoubtThatNobodyRefutesBecomesASuspicion() {
    Refutation doubts = doubting(B);
    assertThat(effects.take()).containsExactly(new Sent<>(C, doubt(B, 7)), new Sent<>(D, doubt(B, 7)));
    at(49);
    assertThat(doubts.tick()).isFalse();
    assertThat(doubts.suspects(B)).isFalse();
    assertThat(doubts.spares(B)).isTrue();
    at(50);
    assertThat(doubts.tick()).as("changed").isTrue();
    assertThat(doubts.suspects(B)).isTrue();
    assertThat(doubts.spares(B)).isFalse();
    heardAt.clear();
    assertThat(doubts.suspects(B)).as("heard again").isFalse();
    assertThat(doubts.spares(B)).as("heard again").isFalse();
  }

  @Test
  void oneRefutationEndsTheDoubtUntilThatSignOfLifeIsATimeOfSuspicionOld() {
    Refutation doubts = doubting(B);
    effects.take();
    at(40);
    doubts.refuted(C, heard(B, 9, 20));
    for (long millis = 40; millis < 120; millis += 10) {
      at(millis);
      assertThat(doubts.tick()).isFalse();
      assertThat(doubts.suspects(B)).as("after %d ms", millis).isFalse();
    }
    assertThat(effects.take()).as("no doubt").isEmpty();
    at(120);
    doubts.tick();
    assertThat(effects.take()).as("doubted by what was refuted").contains(new Sent<>(C, doubt(B, 9)));
    at(169);
    assertThat(doubts.suspects(B)).as("asked again").isFalse();
    at(170);
    assertThat(doubts.suspects(B)).as("nobody has answered").isTrue();
    doubts.refuted(C, heard(B, 12, 0));
    assertThat(doubts.suspects(B)).as("a late answer").isFalse();
  }

  @Test
  void whatIsNotLaterRefutesNothing() {
    Refutation doubts = doubting(B);
    doubts.refuted(C, heard(B, 7, 0));
    doubts.refuted(C, heard(B, 6, 0));
    at(50);
    assertThat(doubts.suspects(B)).isTrue();
    doubts.refuted(C, heard(B, 8, 150));
    assertThat(doubts.suspects(B)).as("later, but too long ago").isTrue();
    doubts.refuted(C, heard(B, 9, Long.MAX_VALUE / MILLI));
    assertThat(doubts.suspects(B)).isTrue();
    var earlierLife = new MemberId(B.name(), B.address(), B.incarnation() - 1);
    doubts.refuted(C, heard(earlierLife, 10, 0));
    assertThat(doubts.suspects(B)).as("another life").isTrue();
    doubts.refuted(new MemberId("x", B.address(), 99), heard(B, 10, 0));
    assertThat(doubts.suspects(B)).as("a stranger's word").isTrue();
  }

  @Test
  void refutationsSaveAMemberUntilTheLimit() {
    Refutation doubts = doubting(B);
    for (int millis = 10; millis < LIMIT * SUSPECT; millis += 10) {
      at(millis);
      doubts.refuted(C, heard(B, 7 + millis, 0));
      doubts.tick();
      assertThat(doubts.suspects(B)).as("after %d ms", millis).isFalse();
    }
    effects.take();
    at(LIMIT * SUSPECT);
    doubts.refuted(C, heard(B, 1000, 0));
    assertThat(doubts.suspects(B)).as("at its limit").isTrue();
    assertThat(doubts.tick()).isTrue();
    assertThat(effects.take()).as("it does not matter any more what others say").isEmpty();
    heardAt.clear();
    doubts.tick();
    heardAt.put(B, effects.now - SUSPECT * MILLI);
    doubts.tick();
    assertThat(doubts.suspects(B)).as("silent anew").isFalse();
  }

  @Test
  void whoeverHasHeardADoubtedMemberLaterTellsAll() {
    Refutation hears = with(Suspicion.STABLE);
    hears.doubted(C, List.of(new Sign(A, 49, 0), new Sign(B, 6, 0), new Sign(D, 7, 0)));
    var refuted = new ViewMessage.Refuted(List.of(new Sign(A, 50, 0), new Sign(B, 7, 0)));
    assertThat(effects.take()).containsExactly(new Sent<>(B, refuted), new Sent<>(C, refuted), new Sent<>(D, refuted));
    heardAt.put(B, -30 * MILLI);
    hears.doubted(C, heard(B, 6, 0));
    assertThat(effects.take())
        .as("it says how long ago")
        .contains(new Sent<>(C, new ViewMessage.Refuted(heard(B, 7, 30))));
    heardAt.put(B, -SUSPECT * MILLI);
    hears.doubted(C, heard(B, 6, 0));
    hears.doubted(new MemberId("x", B.address(), 99), heard(A, 1, 0));
    assertThat(effects.take()).as("not heard here either, or a stranger's doubt").isEmpty();
  }

  /// One refutation is enough for all, also for who doubts only later, or does not hear whoever refuted.
  @Test
  void aRefutationIsForTheWholeGroup() {
    Refutation doubts = with(Suspicion.REFUTABLE);
    doubts.refuted(C, heard(B, 20, 10));
    at(60);
    heardAt.put(B, -SUSPECT * MILLI + 60 * MILLI);
    doubts.tick();
    assertThat(effects.take()).as("it knows already").isEmpty();
    assertThat(doubts.spares(B)).isTrue();
    doubts.doubted(D, heard(B, 7, 0));
    assertThat(effects.take()).as("passed on").contains(new Sent<>(D, new ViewMessage.Refuted(heard(B, 20, 70))));
    at(90);
    doubts.doubted(D, heard(B, 7, 0));
    assertThat(effects.take()).as("too old to be passed on").isEmpty();
  }

  @Test
  void inAViewOfTwoNobodyIsAsked() {
    view = primary(3, A, B);
    Refutation doubts = doubting(B);
    assertThat(doubts.suspects(B)).isTrue();
    assertThat(effects.take()).isEmpty();
  }
}
