package org.tutti.pack;

import org.tutti.Packing;

/// Changes the packing degree by one in each interval, in the direction in which throughput grows. Bartoli,
/// Calabrese, Prica, Antoniutti Di Muro and Montresor, *Adaptive Message Packing for Group Communication Systems*,
/// section 5.3: the final policy, and the two conditions that its last section announces, a longest wait and an
/// aggregate size.
///
/// With throughput(i) measured while the degree was pack(i), at the end of interval i:
///
/// ```
/// pack(i) >= pack(i-1):  throughput(i) > throughput(i-1)  =>  pack(i+1) := pack(i) + 1
///                        throughput(i) < throughput(i-1)  =>  pack(i+1) := pack(i) - 1
/// pack(i) <  pack(i-1):  throughput(i) > throughput(i-1)  =>  pack(i+1) := pack(i) - 1
///                        throughput(i) < throughput(i-1)  =>  pack(i+1) := pack(i) + 1
/// throughput(i) = throughput(i-1)                         =>  pack(i+1) := pack(i)
/// initially pack = 1; always 1 <= pack <= packmax
/// ```
final class HillClimb implements Packing.Policy {
  private static final double NOT_MEASURED = -1;

  private final int degreeMax;
  private final int bytesMax;
  private final long intervalNanos; // T_a: the time between two steps, at least
  private final long delayNanosMax;
  private int degree = 1;
  private int degreeBefore = 1;
  private double throughputBefore = NOT_MEASURED;
  private boolean begun;
  private long sinceNanos; // when the interval began
  private long messagesBefore; // what was delivered by then

  HillClimb(Packing.HillClimbing limits) {
    this.degreeMax = limits.degreeMax();
    this.bytesMax = limits.bytesMax();
    this.intervalNanos = limits.interval().toNanos();
    this.delayNanosMax = limits.delayMax().toNanos();
  }

  @Override
  public int messagesMax() {
    return degree;
  }

  @Override
  public int bytesMax() {
    return bytesMax;
  }

  @Override
  public long delayNanosMax() {
    return delayNanosMax;
  }

  @Override
  public boolean closes(int batchesOnTheWay, long ageNanos) {
    return false;
  }

  @Override
  public void delivered(long nowNanos, long messages) {
    if (begun && nowNanos - sinceNanos < intervalNanos) {
      return;
    }
    if (begun) {
      measured((messages - messagesBefore) / (double) (nowNanos - sinceNanos));
    }
    begun = true;
    sinceNanos = nowNanos;
    messagesBefore = messages;
  }

  private void measured(double throughput) {
    int next = degree;
    if (throughputBefore != NOT_MEASURED && throughput != throughputBefore) {
      boolean rising = degree >= degreeBefore;
      boolean better = throughput > throughputBefore;
      next = better == rising ? degree + 1 : degree - 1;
    }
    degreeBefore = degree;
    degree = Math.clamp(next, 1, degreeMax);
    throughputBefore = throughput;
  }
}
