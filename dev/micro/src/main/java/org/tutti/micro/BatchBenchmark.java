package org.tutti.micro;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// A batch of 64 KiB at its receiver.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class BatchBenchmark {
  /// The length of a message.
  @Param({"100", "1024"})
  public int bytes;

  private final Payloads payloads = Payloads.used();
  private Batch batch = Sample.batch(1);
  private ByteBuffer encoded = ByteBuffer.allocate(0);

  /// Made by JMH.
  public BatchBenchmark() {}

  /// Makes the batch.
  @Setup
  public void make() {
    batch = Sample.batch(bytes);
    encoded = Sample.encoded(batch);
  }

  /// Checks it and copies it.
  ///
  /// @return the batch
  /// @throws Malformed never
  @Benchmark
  public Batch copy() throws Malformed {
    Batch copy = Batch.copy(batch.sender(), new WireReader(encoded.duplicate()), payloads::copy);
    payloads.giveBack(copy.payload());
    return copy;
  }

  /// Goes through its messages, as for a listener.
  ///
  /// @return the sum of their lengths
  @Benchmark
  public long walk() {
    long sum = 0;
    for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
      sum += messages.next().remaining();
    }
    return sum;
  }
}
