package org.tutti.bench.member;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/// How times are recorded.
public final class Times {
  /// Longer times are counted as this.
  public static final long NANOS_MAX = 60_000_000_000L;

  private static final int DIGITS = 3; // significant ones

  private Times() {}

  /// An empty histogram of nanoseconds.
  ///
  /// @return for one thread at a time
  public static Histogram empty() {
    return new Histogram(NANOS_MAX, DIGITS);
  }

  /// A histogram as text.
  ///
  /// @param times which
  /// @return as HdrHistogram compresses it, in base 64
  public static String encoded(Histogram times) {
    ByteBuffer bytes = ByteBuffer.allocate(times.getNeededByteBufferCapacity());
    int length = times.encodeIntoCompressedByteBuffer(bytes, Deflater.BEST_SPEED);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
  }

  /// Adds a time.
  ///
  /// @param times where
  /// @param nanos how long it took
  public static void record(Histogram times, long nanos) {
    times.recordValue(Math.min(Math.max(nanos, 0), NANOS_MAX));
  }
}
