package org.tutti.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.tutti.pack.Batch;

/// The benchmarks do what they say, more than once.
class BenchmarksTest {
  private static final int TIMES = 200; // more than an acknowledgement's worth of packets

  @Test
  void countsAreReadAsTheyWereWritten() throws Exception {
    var wire = new WireBenchmark();
    wire.draw();
    assertThat(wire.writeCounts()).isBetween(1000, 5000);
    assertThat(wire.readCounts()).isEqualTo(wire.readCounts()).isPositive();
  }

  @Test
  void aCopiedBatchIsTheSame() throws Exception {
    var benchmark = new BatchBenchmark();
    benchmark.bytes = 1024;
    benchmark.make();
    assertThat(benchmark.copy()).isEqualTo(benchmark.copy()).extracting(Batch::count).isEqualTo(62);
    assertThat(benchmark.walk()).isEqualTo(62 * 1024);
  }

  @Test
  void putsMakeBatchesOfSuccessiveNumbersAndTheWindowOpensAgain() throws Exception {
    var benchmark = new PostBenchmark();
    benchmark.bytes = 100;
    benchmark.make();
    for (int i = 0; i < TIMES; i++) {
      Batch batch = Objects.requireNonNull(benchmark.postAndPack());
      assertThat(batch.seq()).isEqualTo(i);
      assertThat(batch.count()).isEqualTo(638);
    }
  }

  @Test
  void everyMessageArrivesAtTheOtherLink() {
    var benchmark = new LinkBenchmark();
    benchmark.bytes = 65536;
    benchmark.make();
    long before = benchmark.send();
    for (int i = 1; i <= TIMES; i++) {
      assertThat(benchmark.send()).isEqualTo(before + i * 65536L);
    }
  }

  @Test
  void metricsOfANodeAndItsMembershipAreRead() throws Exception {
    var benchmark = new MetricsBenchmark();
    benchmark.make();
    try {
      assertThat(benchmark.node()).isGreaterThan(50);
      assertThat(benchmark.group()).isGreaterThan(20);
    } finally {
      benchmark.close();
    }
  }
}
