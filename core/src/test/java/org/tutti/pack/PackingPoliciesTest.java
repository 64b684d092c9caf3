package org.tutti.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.Members.A;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.tutti.Packing;
import org.tutti.wire.WireWriter;

/// The policies of packing: a fixed degree, the paper's adaptive one as its section 5.3 prints it, and the two
/// conditions that its last section announces, a longest wait and an aggregate size.
class PackingPoliciesTest {
  private static final int BYTES_MAX = 1000;
  private static final long SECOND = 1_000_000_000;
  private static final Duration DELAY = Duration.ofMillis(2);
  private static final long INTERVAL = 5 * SECOND; // the paper's

  private static Packer packer(Packing packing) {
    return new Packer(A, BYTES_MAX, 64, packing);
  }

  /// Messages that one sender has packed before the packer saw them.
  private static MessageBlock block(int... sizes) {
    var out = new WireWriter();
    for (int size : sizes) {
      out.bytes(ByteBuffer.allocate(size));
    }
    return new MessageBlock.Sealed(Batch.Kind.TOTAL, sizes.length, out.copy());
  }

  private static List<Integer> sizes(Batch batch) {
    var sizes = new ArrayList<Integer>();
    for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
      sizes.add(messages.next().remaining());
    }
    assertThat(sizes).hasSize(batch.count());
    return sizes;
  }

  private static List<List<Integer>> batches(Packer packer, long now, int onTheWay) {
    var all = new ArrayList<List<Integer>>();
    for (Batch batch = packer.next(now, onTheWay, 0); batch != null; batch = packer.next(now, onTheWay, 0)) {
      all.add(sizes(batch));
    }
    return all;
  }

  // ---- fixed degree ------------------------------------------------------------------------------------------------

  @Test
  void aFixedDegreeWaitsForSoManyMessagesAlthoughNothingIsOnTheWay() {
    Packer packer = packer(Packing.fixed(3, DELAY));
    packer.add(0, block(1));
    packer.add(0, block(2));
    assertThat(packer.next(0, 0, 0)).isNull();
    packer.add(1, block(3));
    assertThat(batches(packer, 1, 5)).containsExactly(List.of(1, 2, 3));
  }

  @Test
  void aFixedDegreeDividesWhatItsSenderHasPackedAlready() {
    Packer packer = packer(Packing.fixed(3, DELAY));
    packer.add(0, block(1, 2, 3, 4, 5));
    packer.add(0, block(6, 7, 8));
    assertThat(batches(packer, 0, 0)).containsExactly(List.of(1, 2, 3), List.of(4, 5, 6));
    assertThat(batches(packer, DELAY.toNanos(), 0)).as("the longest wait").containsExactly(List.of(7, 8));
  }

  @Test
  void degreeOneIsNoPacking() {
    Packer packer = packer(Packing.fixed(1, DELAY));
    packer.add(0, block(1, 2, 500));
    assertThat(batches(packer, 0, 9)).containsExactly(List.of(1), List.of(2), List.of(500));
  }

  @Test
  void theLongestWaitEndsAFixedDegreesWait() {
    Packer packer = packer(Packing.fixed(3, DELAY));
    packer.add(7, block(1));
    assertThat(packer.deadline()).isEqualTo(7 + DELAY.toNanos());
    assertThat(packer.next(6 + DELAY.toNanos(), 0, 0)).isNull();
    assertThat(batches(packer, 7 + DELAY.toNanos(), 0)).containsExactly(List.of(1));
  }

  @Test
  void theGroupsLimitsHoldForEveryPolicy() {
    Packer packer = packer(Packing.fixed(100, DELAY));
    packer.add(0, block(400, 400, 400));
    assertThat(batches(packer, 0, 0)).containsExactly(List.of(400, 400));
  }

  @Test
  void anAggregateSizeEndsABatch() {
    Packer packer = packer(Packing.hillClimb(Duration.ofSeconds(5), 1, 250, DELAY));
    packer.add(0, block(400, 1));
    assertThat(batches(packer, 0, 0)).as("a longer message travels alone").containsExactly(List.of(400), List.of(1));
    Packer larger = packer(Packing.custom(() -> new Sized(250)));
    larger.add(0, block(100, 100, 100, 100));
    assertThat(batches(larger, 0, 0)).containsExactly(List.of(100, 100));
    assertThat(batches(larger, DELAY.toNanos(), 0)).containsExactly(List.of(100, 100));
  }

  /// A policy of one's own.
  private record Sized(int bytesMax) implements Packing.Policy {
    @Override
    public int messagesMax() {
      return Integer.MAX_VALUE;
    }

    @Override
    public long delayNanosMax() {
      return DELAY.toNanos();
    }

    @Override
    public boolean closes(int batchesOnTheWay, long ageNanos) {
      return false;
    }

    @Override
    public void delivered(long nowNanos, long messages) {}
  }

  // ---- hill climb --------------------------------------------------------------------------------------------------

  private long interval;
  private double messages;

  /// The degrees of successive intervals, when throughput depends on the degree as told. Two measurements are never
  /// exactly equal: the first one is a little less.
  private List<Integer> climb(Packing.Policy policy, int intervals, IntToDoubleFunction perSecond) {
    var degrees = new ArrayList<Integer>();
    for (int i = 0; i < intervals; i++) {
      policy.delivered(interval * INTERVAL, Math.round(messages));
      degrees.add(policy.messagesMax());
      double some = interval == 0 ? 0.9 : 1;
      messages += some * perSecond.applyAsDouble(policy.messagesMax()) * INTERVAL / SECOND;
      interval++;
    }
    return degrees;
  }

  private static Packing.Policy paper(int degreeMax) {
    return PackingPolicies.begin(Packing.hillClimb(Duration.ofNanos(INTERVAL), degreeMax, Integer.MAX_VALUE, DELAY));
  }

  /// One interval after the other with the throughputs given.
  private static List<Integer> degrees(int degreeMax, int... throughputs) {
    Packing.Policy policy = paper(degreeMax);
    long messages = 0;
    var degrees = new ArrayList<Integer>();
    policy.delivered(0, 0);
    for (int i = 0; i < throughputs.length; i++) {
      messages += throughputs[i];
      policy.delivered((i + 1) * INTERVAL, messages);
      degrees.add(policy.messagesMax());
    }
    return degrees;
  }

  @Test
  void theDegreeIsOneAtFirstAndRisesWhileThroughputDoes() {
    assertThat(degrees(100, 10, 20, 30, 40)).containsExactly(1, 2, 3, 4);
  }

  @Test
  void equalThroughputLeavesTheDegree() {
    assertThat(degrees(100, 10, 20, 20, 20)).containsExactly(1, 2, 2, 2);
  }

  /// pack(i) >= pack(i-1) and less throughput: one down; pack(i) < pack(i-1) and more: further down; less: up again.
  @Test
  void goingDownGoesOnOnlyWhileThroughputGrows() {
    assertThat(degrees(100, 10, 20, 30, 25, 28, 31, 29)).containsExactly(1, 2, 3, 2, 1, 1, 1);
    assertThat(degrees(100, 10, 20, 30, 40, 35, 38, 30, 40, 50)).containsExactly(1, 2, 3, 4, 3, 2, 3, 4, 5);
  }

  /// The paper's first rule falls to 1 when a short load from outside lowers throughput twice; its final one does not.
  @Test
  void aTransientLoadDoesNotMakeTheDegreeCollapse() {
    assertThat(degrees(100, 10, 20, 30, 40, 20, 10, 40, 50)).containsExactly(1, 2, 3, 4, 3, 4, 5, 6);
  }

  @Test
  void theDegreeStaysWithinItsBounds() {
    assertThat(degrees(3, 10, 20, 30, 40, 50)).containsExactly(1, 2, 3, 3, 3);
    assertThat(degrees(3, 50, 40, 30, 20)).containsExactly(1, 1, 1, 1);
  }

  /// Figure 3 has its peak at 11 for 1000-byte messages; the policy keeps between 10 and 12 there.
  @Test
  void itClimbsToThePeakAndStaysAroundIt() {
    List<Integer> degrees = climb(paper(100), 60, degree -> 1577 - 15 * Math.pow(degree - 11, 2));
    assertThat(degrees.indexOf(11)).as("ten steps").isEqualTo(11);
    assertThat(degrees.subList(12, degrees.size())).allMatch(degree -> degree >= 10 && degree <= 12);
  }

  /// Figure 4: when the load grows, the peak moves to a lower degree, and the policy follows it.
  @Test
  void itFollowsThePeakWhenTheLoadChanges() {
    Packing.Policy policy = paper(100);
    climb(policy, 60, degree -> 1577 - 15 * Math.pow(degree - 11, 2));
    assertThat(policy.messagesMax()).isBetween(10, 12);
    climb(policy, 40, degree -> 800 - 15 * Math.pow(degree - 4, 2));
    assertThat(policy.messagesMax()).isBetween(3, 5);
  }

  /// As printed: without any difference at the beginning nothing ever changes. On a real machine there always is one.
  @Test
  void throughputThatNeverDiffersLeavesDegreeOne() {
    assertThat(degrees(100, 10, 10, 10, 10)).containsOnly(1);
  }

  @Test
  void lessThanAnIntervalChangesNothing() {
    Packing.Policy policy = paper(100);
    for (int i = 0; i < 100; i++) {
      policy.delivered(i * INTERVAL / 100, (long) i * i);
    }
    assertThat(policy.messagesMax()).isEqualTo(1);
  }

  @Test
  void anIdleSourceLeavesTheDegree() {
    assertThat(degrees(100, 10, 20, 0, 0, 0)).containsExactly(1, 2, 1, 1, 1);
  }

  @Test
  void eachMembershipHasAPolicyOfItsOwn() {
    Packing packing = Packing.hillClimb();
    Packing.Policy one = PackingPolicies.begin(packing);
    climb(one, 10, degree -> 100.0 * degree);
    assertThat(one.messagesMax()).isEqualTo(9);
    assertThat(PackingPolicies.begin(packing).messagesMax()).isEqualTo(1);
    assertThat(packing).isEqualTo(Packing.hillClimb());
  }

  @Test
  void whoWatchesIsToldEachChangeOfTheDegree() {
    var degrees = new ArrayList<Integer>();
    Packing.Policy policy = PackingPolicies.begin(Packing.hillClimb().watched(degrees::add));
    climb(policy, 4, degree -> 100.0 * degree);
    assertThat(degrees).containsExactly(1, 2, 3);
  }

  @Test
  void mistakesAreNamed() {
    assertThatThrownBy(() -> Packing.fixed(0, DELAY)).hasMessage("a packing degree is at least 1, not 0");
    assertThatThrownBy(() -> Packing.natural(Duration.ofMillis(-1)))
        .hasMessage("a message waits 0 s to PT1M in the packer, not PT-0.001S");
    assertThatThrownBy(() -> Packing.hillClimb(Duration.ZERO, 1, 1, DELAY))
        .hasMessage("interval, highest degree and length are positive, not PT0S, 1 and 1 bytes");
  }
}
