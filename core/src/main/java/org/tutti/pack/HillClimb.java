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
///
/// @param intervalNanos T_a: the time between two steps, at least
/// @param degreeMax     packmax
/// @param bytesMax      a batch leaves, too, when it is so long
/// @param delayNanosMax a batch leaves, too, when its first message has waited so long
public record HillClimb(long intervalNanos, int degreeMax, int bytesMax, long delayNanosMax) implements Packing {
  private static final long STANDARD_INTERVAL_NANOS =
      50_000_000; // 40 steps in 2 s: the paper's best degrees are 3 to 28
  private static final int STANDARD_DEGREE_MAX = 1024;

  /// Checks the ranges.
  public HillClimb {
    if (intervalNanos <= 0 || degreeMax < 1 || bytesMax < 1) {
      throw new IllegalArgumentException(
          "interval, highest degree and length are positive, not "
              + intervalNanos
              + " ns, "
              + degreeMax
              + " and "
              + bytesMax
              + " bytes");
    }
    PackingInterval.check(delayNanosMax);
  }

  /// A step every 50 ms up to degree 1024, batches as long as the group allows, a wait of 2 ms at most.
  ///
  /// @return the description
  public static HillClimb standard() {
    return new HillClimb(
        STANDARD_INTERVAL_NANOS, STANDARD_DEGREE_MAX, Integer.MAX_VALUE, PackingInterval.STANDARD_NANOS);
  }

  @Override
  public Policy begin() {
    return new Climb(this);
  }

  /// The policy of one membership.
  private static final class Climb implements Policy {
    private static final double NOT_MEASURED = -1;

    private final HillClimb limits;
    private int degree = 1;
    private int degreeBefore = 1;
    private double throughputBefore = NOT_MEASURED;
    private boolean begun;
    private long sinceNanos; // when the interval began
    private long messagesBefore; // what was delivered by then

    Climb(HillClimb limits) {
      this.limits = limits;
    }

    @Override
    public int messagesMax() {
      return degree;
    }

    @Override
    public int bytesMax() {
      return limits.bytesMax;
    }

    @Override
    public long delayNanosMax() {
      return limits.delayNanosMax;
    }

    @Override
    public boolean closes(int batchesOnTheWay, long ageNanos) {
      return false;
    }

    @Override
    public void delivered(long nowNanos, long messages) {
      if (begun && nowNanos - sinceNanos < limits.intervalNanos) {
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
      degree = Math.clamp(next, 1, limits.degreeMax);
      throughputBefore = throughput;
    }
  }
}
