package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;
import static org.tutti.fixture.Awaited.untilServing;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.GroupMetrics;
import org.tutti.GroupMetrics.Traffic;
import org.tutti.MemberConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.fixture.InProcessNodes;

/// A membership's numbers are what its application and the others do.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupMetricsTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int WINDOW = 100_000;

  @AutoClose private final InProcessNodes nodes = new InProcessNodes();

  private static GroupMetrics until(Group group, Predicate<GroupMetrics> seen) {
    Instant end = Instant.now().plus(SOON);
    GroupMetrics metrics = group.metrics();
    while (!seen.test(metrics)) {
      assertThat(Instant.now()).as(metrics.toString()).isBefore(end);
      Thread.onSpinWait();
      metrics = group.metrics();
    }
    return metrics;
  }

  @Test
  void whatTheApplicationSendsAndTakesIsCounted() throws Exception {
    Group one = nodes.start().create("bank", GroupConfig.standard());
    Group two = nodes.start().join("bank");
    untilServing(two);
    two.multicast(new byte[10]).get();
    two.multicast(new byte[20]).get();
    two.post(ByteBuffer.allocate(5), SendOptions.of(Service.FIFO));
    assertThat(one.metrics().delivered()).as("nobody has taken it").isEqualTo(new Traffic(0, 0));
    for (int i = 0; i < 3; i++) {
      next(one, Event.Delivery.class);
    }
    assertThat(one.metrics().delivered()).isEqualTo(new Traffic(3, 35));
    assertThat(one.metrics().sent()).isEqualTo(new Traffic(0, 0));
    assertThat(two.metrics().sent()).isEqualTo(new Traffic(3, 35));
    assertThat(one.metrics().position()).hasValue(2);
    assertThat(two.metrics().windowBytes()).isEqualTo(MemberConfig.standard().windowBytes());
    next(two, Event.Delivery.class);
    next(two, Event.Delivery.class);
    assertThat(two.metrics().delivered().messages()).isEqualTo(2);
  }

  @Test
  void aListenerIsCountedToo() throws Exception {
    var config = MemberConfig.builder().listener((_, _, _, _) -> {}).build();
    Group one = nodes.start().create("bank", GroupConfig.standard(), config);
    one.multicast(new byte[7]).get();
    one.multicast(ByteBuffer.allocate(4), SendOptions.of(Service.CAUSAL)).get();
    assertThat(until(one, seen -> seen.delivered().messages() == 2).delivered()).isEqualTo(new Traffic(2, 11));
  }

  @Test
  void viewsAndTheTimeInPrimaryOnesAreCounted() throws Exception {
    Node first = nodes.start();
    Group one = first.create("bank", GroupConfig.standard());
    Group two = nodes.start().join("bank");
    untilServing(two);
    GroupMetrics before = until(one, seen -> seen.primaryViews() == 2);
    assertThat(before.otherViews()).isZero();
    until(one, seen -> seen.inPrimary().compareTo(before.inPrimary()) > 0);
    one.close();
    GroupMetrics last = one.metrics();
    assertThat(last.peers()).isEmpty();
    assertThat(last.inPrimary()).isPositive().isEqualTo(one.metrics().inPrimary());

    Group alone = nodes.start().create("other", GroupConfig.builder().electorate("n3", "n4").build());
    GroupMetrics minor = until(alone, seen -> seen.otherViews() == 1);
    assertThat(minor.primaryViews()).isZero();
    assertThat(minor.inPrimary()).isZero();
  }

  @Test
  void theOthersAreSeen() throws Exception {
    MemberConfig small = MemberConfig.builder().windowBytes(WINDOW).build();
    Group one = nodes.start().create("bank", GroupConfig.standard(), small);
    Group two = nodes.start().join("bank", small);
    untilServing(two);
    one.multicast(new byte[WINDOW / 2]).get();
    assertThat(one.metrics().undecided()).isZero();
    next(one, Event.Delivery.class);
    GroupMetrics.Peer peer =
        until(one, seen -> !seen.peers().isEmpty() && seen.peers().getFirst().windowBytes() > WINDOW / 2)
            .peers()
            .getFirst();
    assertThat(peer.member()).isEqualTo(two.self());
    assertThat(one.metrics().windowUsedBytes()).isGreaterThan(WINDOW / 2);
    assertThat(peer.silent()).isGreaterThanOrEqualTo(Duration.ZERO).isLessThan(SOON);

    assertThat(until(two, seen -> seen.eventHeld().toMillis() > 100).eventHeld()).isLessThan(SOON);
    assertThat(until(two, seen -> seen.behind().toMillis() > 100).behind()).isLessThan(SOON);
    next(two, Event.Delivery.class);
    assertThat(two.metrics().behind()).isZero();
    until(two, seen -> seen.eventHeld().isZero());
    assertThat(two.receive(Duration.ofMillis(1))).isNull(); // it has nothing left, which is reported
    GroupMetrics.Peer idle =
        until(one, seen -> seen.peers().getFirst().windowBytes() == 0 && seen.peers().getFirst().queuedBytes() == 0)
            .peers()
            .getFirst();
    assertThat(idle.lag()).isEqualTo(new Traffic(0, 0));
    assertThat(idle.repeated()).isZero();
    assertThat(Objects.requireNonNull(idle.roundTrip())).isPositive();
    assertThat(until(one, seen -> seen.windowUsedBytes() == 0).undecided()).isZero();
  }

  @Test
  void theListHasNamesOfPeople() throws Exception {
    Group one = nodes.start().create("the\"bank", GroupConfig.standard());
    Group two = nodes.start().join("the\"bank");
    untilServing(two);
    List<Metric> list = until(one, seen -> !seen.peers().isEmpty()).list();
    assertThat(list).isSortedAccordingTo(Metric.ORDER);
    assertThat(list).extracting(metric -> metric.tag("group")).containsOnly("the\"bank");
    assertThat(list)
        .filteredOn(metric -> metric.name().startsWith("peer."))
        .hasSizeGreaterThan(2)
        .allMatch(metric -> two.self().name().equals(metric.tag("peer")));
    assertThat(list).extracting(Metric::key).contains("group.views.installed{group=the\"bank,kind=primary}");
  }
}
