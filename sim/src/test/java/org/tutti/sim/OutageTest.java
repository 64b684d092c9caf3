package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.GroupConfig;
import org.tutti.Ordering;

/// A single fault, one-way ones included, stops those that it does not touch for the time of suspicion and half of it
/// at most, whoever it strikes and whatever the ordering (`docs/protocols/suspicion.md`).
class OutageTest {
  private static final double LONGEST = 1.5; // in times of suspicion
  private static final int SOME = 4; // a deep build has all of them

  /// Some kinds of faults, others each time.
  @Test
  void aSingleFaultIsOverSoonWithASequencer() {
    var outages = new ArrayList<>(List.of(Outage.values()));
    Collections.shuffle(outages, new Random(FirstSeed.ofTest("OutageTest")));
    isOverSoon(Ordering.SEQUENCER, outages.subList(0, SOME));
  }

  @ParameterizedTest
  @EnumSource(Ordering.class)
  @Tag("deep")
  void anySingleFaultIsOverSoon(Ordering ordering) {
    isOverSoon(ordering, List.of(Outage.values()));
  }

  private static void isOverSoon(Ordering ordering, List<Outage> outages) {
    var longest = new TreeMap<Outage, Double>();
    for (Outage what : outages) {
      longest.put(what, new CostMeasurement(5, GroupConfig.builder().ordering(ordering).build()).outage(what));
    }
    assertThat(longest).allSatisfy((what, time) -> assertThat(time).as("%s", what).isLessThanOrEqualTo(LONGEST));
  }
}
