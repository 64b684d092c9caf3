package org.tutti.micro;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// 1000 counts of one to five bytes.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class WireBenchmark {
  private static final int NUMBERS = 1000;
  private static final int BITS_MAX = 34;

  private final long[] numbers = new long[NUMBERS];
  private ByteBuffer written = ByteBuffer.allocate(0);

  /// Made by JMH.
  public WireBenchmark() {}

  /// Draws the numbers.
  @Setup
  public void draw() {
    var random = new SplittableRandom(1);
    var out = new WireWriter();
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = random.nextLong(1L << 1 + random.nextInt(BITS_MAX));
      out.count(numbers[i]);
    }
    written = ByteBuffer.allocateDirect(out.length()).put(out.copy()).flip();
  }

  /// Writes them.
  ///
  /// @return how many bytes they became
  @Benchmark
  public int writeCounts() {
    var out = new WireWriter();
    for (long number : numbers) {
      out.count(number);
    }
    return out.length();
  }

  /// Reads them.
  ///
  /// @return their sum
  /// @throws Malformed never
  @Benchmark
  public long readCounts() throws Malformed {
    var in = new WireReader(written.duplicate());
    long sum = 0;
    for (int i = 0; i < NUMBERS; i++) {
      sum += in.count();
    }
    return sum;
  }
}
