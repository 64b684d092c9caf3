package org.tutti.pack;

/// The longest wait of a message in the packer: the packing interval, which every policy has.
final class PackingInterval {
  static final long STANDARD_NANOS = 2_000_000;

  private static final long MAX_NANOS = 60_000_000_000L;

  private PackingInterval() {}

  static void check(long nanos) {
    if (nanos < 0 || nanos > MAX_NANOS) {
      throw new IllegalArgumentException("a message waits 0 to " + MAX_NANOS + " ns in the packer, not " + nanos);
    }
  }
}
