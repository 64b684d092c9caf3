package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Dissemination;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.Ordering;

/// What a multicast costs without faults, counted on the simulated network.
class CostMeasurementTest {
  private static final GroupConfig CONFIG = GroupConfig.standard();
  private static final MemberConfig SINGLE = MemberConfig.builder().batchBytesMax(1 << 16).batchMessagesMax(1).build();
  private static final int PHASES = 12;

  @Test
  void theSequencersTwoStepsAreSeenFrameByFrame() {
    CostMeasurement.Cost cost = new CostMeasurement(3, CONFIG, SINGLE).multicast(2, 1, 100);
    assertThat(cost.traffic().batches()).isEqualTo(2);
    assertThat(cost.traffic().orders()).isEqualTo(2);
    assertThat(cost.traffic().others()).isZero();
    assertThat(cost.steps()).as("batch, number").isEqualTo(2);
    assertThat(cost.deliverySteps()).as("batch, number, progress").isEqualTo(3);
    assertThat(cost.nanos()).isEqualTo(CostMeasurement.DELAY.multipliedBy(3).toNanos());
  }

  @Test
  void theSequencersOwnMessageTravelsWithItsNumber() {
    var group = new CostMeasurement(4, GroupConfig.builder().guarantee(Guarantee.AGREED).build(), SINGLE);
    CostMeasurement.Cost cost = group.multicast(0, 1, 100);
    assertThat(cost.steps()).isEqualTo(1);
    assertThat(cost.nanos()).isEqualTo(CostMeasurement.DELAY.toNanos());
    assertThat(cost.traffic().protocol()).isEqualTo(6);
  }

  @Test
  void aRelayedBatchTravelsOnWithItsNumber() {
    MemberConfig relays = SINGLE.toBuilder().dissemination(Dissemination.RELAY).build();
    var group = new CostMeasurement(4, GroupConfig.builder().guarantee(Guarantee.AGREED).build(), relays);
    CostMeasurement.Cost cost = group.multicast(3, 1, 100);
    assertThat(cost.copies()).as("to the sequencer").isEqualTo(1);
    assertThat(cost.traffic().batches()).isEqualTo(3);
    assertThat(cost.traffic().orders()).isEqualTo(3);
    assertThat(cost.steps()).as("batch, the same and its number").isEqualTo(2);
    assertThat(cost.nanos()).isEqualTo(CostMeasurement.DELAY.multipliedBy(2).toNanos());
    assertThat(new CostMeasurement(4, CONFIG, SINGLE).multicast(3, 1, 100).copies()).as("a star").isEqualTo(3);
  }

  @Test
  void withoutBatchingEveryMessageIsABatch() {
    assertThat(new CostMeasurement(3, CONFIG, SINGLE).multicast(1, 10, 100).traffic().batches()).isEqualTo(20);
    Traffic packed = new CostMeasurement(3, GroupConfig.standard()).multicast(1, 1000, 100).traffic();
    assertThat(packed.batches()).isEqualTo(4);
    assertThat(packed.bytes()).isBetween(200_000L, 210_000L);
  }

  @Test
  void aGroupAtRestOnlyShowsThatItLives() {
    Traffic idle = new CostMeasurement(3, CONFIG, SINGLE).idle(Duration.ofSeconds(1));
    assertThat(idle.datagrams()).isPositive().isEqualTo(idle.frames());
  }

  @Test
  void theSameIsCountedEveryTime() {
    assertThat(new CostMeasurement(5, CONFIG, SINGLE).multicast(4, 3, 50))
        .isEqualTo(new CostMeasurement(5, CONFIG, SINGLE).multicast(4, 3, 50));
  }

  @Test
  void moreThanTheWindowIsRefused() {
    var group = new CostMeasurement(2, CONFIG, SINGLE.toBuilder().windowBytes(1 << 16).build());
    assertThatThrownBy(() -> group.multicast(1, 1000, 100)).hasMessageContaining("window");
  }

  static Stream<Arguments> switches() {
    return Arrays.stream(Ordering.values())
        .flatMap(from -> Arrays.stream(Ordering.values()).filter(to -> to != from).map(to -> Arguments.of(from, to)));
  }

  /// Deliveries go on while a group changes its ordering; whenever it is asked to, a closed loop at one member sees
  /// no gap of two multicasts.
  @ParameterizedTest(name = "{0} to {1}")
  @MethodSource("switches")
  void switchingAmongThreeMakesAGapOfLessThanTwoRoundTrips(Ordering from, Ordering to) {
    switchingMakesAShortGap(from, to, 3);
  }

  @ParameterizedTest(name = "{0} to {1}")
  @MethodSource("switches")
  @Tag("deep")
  void switchingAmongFiveMakesAGapOfLessThanTwoRoundTrips(Ordering from, Ordering to) {
    switchingMakesAShortGap(from, to, 5);
  }

  private static void switchingMakesAShortGap(Ordering from, Ordering to, int members) {
    for (int phase = 0; phase < PHASES; phase++) {
      var group = new CostMeasurement(members, GroupConfig.builder().ordering(from).build());
      Duration after = CostMeasurement.DELAY.multipliedBy(6L * phase).dividedBy(PHASES);
      CostMeasurement.Gap gap = group.switchTo(members - 1, 1, to, after);
      assertThat(gap.trips()).as("asked for %s after a multicast", after).isPositive().isLessThan(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void afterASwitchTheNewOrderingCostsWhatItAlwaysCosts(Ordering to) {
    Ordering from = to == Ordering.SEQUENCER ? Ordering.SYMMETRIC : Ordering.SEQUENCER;
    var group = new CostMeasurement(4, GroupConfig.builder().ordering(from).build(), SINGLE);
    group.switchTo(3, 1, to, Duration.ZERO);
    group.multicast(2, 1, 100);
    Traffic fresh =
        new CostMeasurement(4, GroupConfig.builder().ordering(to).build(), SINGLE).multicast(3, 1, 100).traffic();
    assertThat(group.multicast(3, 1, 100).traffic().protocol()).isEqualTo(fresh.protocol());
  }

  /// A group outside of every domain sends the same whether its nodes' other groups are in one or not.
  @ParameterizedTest
  @EnumSource
  void aGroupOutsideOfEveryDomainPaysNothingForThoseInOne(Ordering ordering) {
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    Traffic without = beside(config, config);
    assertThat(without.batches()).isEqualTo(600);
    assertThat(without.others()).isZero();
    assertThat(beside(config, config.toBuilder().domain("opera").build())).isEqualTo(without);
    Traffic inside = beside(config.toBuilder().domain("opera").build(), config.toBuilder().domain("opera").build());
    assertThat(inside.others()).as("the price of being in one: members say their clocks").isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void aGroupThatIsAloneInADomainSaysNoClocks(Ordering ordering) {
    GroupConfig config = GroupConfig.builder().ordering(ordering).build();
    Traffic outside = beside(config, config);
    Traffic alone = beside(config.toBuilder().domain("solo").build(), config);
    assertThat(alone.others()).isZero();
    assertThat(alone.protocol()).isEqualTo(outside.protocol());
    assertThat(alone.frames())
        .as("progress is said twice, before and after delivery, mostly in frames that go anyway")
        .isBetween(outside.frames(), outside.frames() * 101 / 100);
  }

  private static Traffic beside(GroupConfig config, GroupConfig other) {
    return new CostMeasurement(3, config).beside(List.of(other, other), 300, 100);
  }

  @Test
  void manyWhoComeAtOnceComeInTogether() {
    int members = 100;
    CostMeasurement.Change founding = new CostMeasurement(members, CONFIG).founding();
    assertThat(founding.nanos()).isLessThan(CostMeasurement.SUSPECT_AFTER.toNanos() * 3 / 10);
    assertThat(founding.views()).as("of all members").isLessThan(members * 30L);
    CostMeasurement.Change join = new CostMeasurement(members / 2, members / 2, CONFIG).join();
    assertThat(join.nanos()).isLessThan(CostMeasurement.SUSPECT_AFTER.toNanos() * 3 / 10);
    assertThat(join.views()).as("of all members").isLessThan(members * 30L);
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 10, 20})
  void whatAMemberSendsGrowsWithTheGroupAndACrashTakesOneSuspicionTime(int members) {
    var group = new CostMeasurement(members, CONFIG);
    assertThat(group.founding().nanos()).isLessThan(CostMeasurement.SUSPECT_AFTER.toNanos());
    assertThat(group.founding().views()).as("of all members").isLessThan((long) members * members);
    long heartbeats = 10L * members * (members - 1); // of the group, in a second; and now and then a call to others
    assertThat(group.idle(Duration.ofSeconds(1)).frames()).isLessThan(heartbeats * 3 / 2);
    CostMeasurement.Change crash = group.crash(0);
    assertThat(crash.nanos()).isLessThan(CostMeasurement.SUSPECT_AFTER.toNanos() * 12 / 10);
    assertThat(crash.views()).as("one for each of the others").isEqualTo(members - 1);
  }
}
