package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Suspicion;

/// Wrong suspicions do not tear a group apart again and again; with refutation, most do nothing at all. The
/// figures are those of `docs/protocols/suspicion.md`.
class DisturbanceTest {
  private static Map<Disturbance, Integer> views(MemberConfig member) {
    var views = new EnumMap<Disturbance, Integer>(Disturbance.class);
    for (Disturbance what : Disturbance.values()) {
      views.put(what, new CostMeasurement(5, GroupConfig.standard(), member).disturb(what));
    }
    return views;
  }

  private static Map<Disturbance, Integer> refutable(int refutedMax) {
    return views(MemberConfig.builder().suspicion(Suspicion.REFUTABLE).refutedMax(refutedMax).build());
  }

  @Test
  void stableSuspicionDoesNotCascade() {
    assertThat(views(MemberConfig.standard()))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                Disturbance.SLOW_FOR_ONE,
                3,
                Disturbance.SENIOR_SLOW_FOR_ONE,
                3,
                Disturbance.ONE_WAY,
                15,
                Disturbance.FLAPPING,
                15,
                Disturbance.PAUSED,
                3,
                Disturbance.ISOLATED,
                3,
                Disturbance.BRIDGE,
                3,
                Disturbance.RING,
                22,
                Disturbance.CHAIN,
                4));
  }

  @Test
  void refutationAvoidsTheViewChangeOfAVirtualFailure() {
    assertThat(refutable(5))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                Disturbance.SLOW_FOR_ONE,
                0,
                Disturbance.SENIOR_SLOW_FOR_ONE,
                0,
                Disturbance.ONE_WAY,
                9,
                Disturbance.FLAPPING,
                0,
                Disturbance.PAUSED,
                3,
                Disturbance.ISOLATED,
                3,
                Disturbance.BRIDGE,
                3,
                Disturbance.RING,
                12,
                Disturbance.CHAIN,
                4));
  }

  @Test
  @Tag("deep")
  void theShorterRefutationsHoldTheMoreViewsALongDisturbanceCosts() {
    assertThat(refutable(1))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                Disturbance.SLOW_FOR_ONE,
                0,
                Disturbance.SENIOR_SLOW_FOR_ONE,
                0,
                Disturbance.ONE_WAY,
                15,
                Disturbance.FLAPPING,
                0,
                Disturbance.PAUSED,
                3,
                Disturbance.ISOLATED,
                3,
                Disturbance.BRIDGE,
                3,
                Disturbance.RING,
                24,
                Disturbance.CHAIN,
                4));
  }

  @Test
  @Tag("deep")
  void whatLastsNoLongerThanRefutationsHoldCostsNoView() {
    assertThat(refutable(25))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                Disturbance.SLOW_FOR_ONE,
                0,
                Disturbance.SENIOR_SLOW_FOR_ONE,
                0,
                Disturbance.ONE_WAY,
                0,
                Disturbance.FLAPPING,
                0,
                Disturbance.PAUSED,
                3,
                Disturbance.ISOLATED,
                3,
                Disturbance.BRIDGE,
                0,
                Disturbance.RING,
                0,
                Disturbance.CHAIN,
                0));
  }
}
