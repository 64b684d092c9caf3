package org.tutti.pack;

/// Decides when a batch is closed (B9). A batch that has reached its size or count is closed without asking.
public interface PackingPolicy {
  /// Whether to close the batch now.
  ///
  /// @param batchesOnTheWay this member's batches that were closed and are not delivered here yet
  /// @param ageNanos        how long the batch's first message has been waiting
  /// @return whether to close it
  boolean close(int batchesOnTheWay, long ageNanos);

  /// The longest time that a message may wait for company, whatever [#close] says.
  ///
  /// @return nanoseconds
  long delayNanosMax();
}
