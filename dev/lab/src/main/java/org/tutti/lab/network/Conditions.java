package org.tutti.lab.network;

import java.time.Duration;

/// What happens to frames on their way from one node to another.
///
/// @param delay  how long each takes
/// @param jitter how much longer or shorter it may take; frames stay in their order
/// @param loss   the share that is lost, 0 to 1
public record Conditions(Duration delay, Duration jitter, double loss) {
  /// A network without delay or loss of its own.
  public static final Conditions PERFECT = new Conditions(Duration.ZERO, Duration.ZERO, 0);

  /// Checks the ranges.
  public Conditions {
    if (delay.isNegative() || jitter.isNegative() || jitter.compareTo(delay) > 0) {
      throw new IllegalArgumentException("0 <= jitter <= delay, not " + jitter + " and " + delay);
    }
    if (!(loss >= 0 && loss <= 1)) {
      throw new IllegalArgumentException("loss is 0 to 1, not " + loss);
    }
  }

  /// Changes the delay.
  ///
  /// @param each how long a frame takes
  /// @param more how much longer or shorter it may take
  /// @return a changed copy
  public Conditions withDelay(Duration each, Duration more) {
    return new Conditions(each, more, loss);
  }

  /// Changes the loss.
  ///
  /// @param share 0 to 1
  /// @return a changed copy
  public Conditions withLoss(double share) {
    return new Conditions(delay, jitter, share);
  }
}
