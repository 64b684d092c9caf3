package org.tutti.workshop;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.tutti.bench.trial.InstrumentOptions;
import picocli.CommandLine.Option;

/// Options of benchmarks that measure in rounds: in which JVMs, when one counts, and what is kept of it.
final class RoundOptions {
  private static final double PERCENT = 100;

  @Option(
      names = "--record",
      description = "Each JVM keeps a flight recording of what its threads do with CPU time, beside its log.")
  boolean record;

  @Option(names = "--out", paramLabel = "DIR", description = "Where results and logs go (${DEFAULT-VALUE}).")
  Path out = Path.of("target", "bench");

  @Option(
      names = "--others",
      paramLabel = "PERCENT",
      description = "A round does not count when others used more than this of the machine (${DEFAULT-VALUE}).")
  private double others = 10;

  @Option(
      names = "--steal",
      paramLabel = "PERCENT",
      description = "A round does not count when the host took more than this of the machine (${DEFAULT-VALUE}).")
  private double steal = 3;

  @Option(
      names = "--jvm",
      paramLabel = "FLAGS",
      description = "Flags of all JVMs, separated by spaces (${DEFAULT-VALUE}).")
  private String flags;

  private RoundOptions(String heap, String rest) {
    flags = "-Xms" + heap + " -Xmx" + heap + " " + rest;
  }

  /// Of JVMs that are to be as fast as they can.
  ///
  /// @param heap of each JVM, if nothing else is said
  static RoundOptions withHeap(String heap) {
    return new RoundOptions(heap, "-XX:+UseZGC");
  }

  /// Of JVMs that share few processors with many others.
  ///
  /// @param heap of each JVM, if nothing else is said
  static RoundOptions ofMany(String heap) {
    return new RoundOptions(heap, "-XX:+UseSerialGC");
  }

  /// Flags of all JVMs.
  List<String> jvm() {
    return List.of(flags.strip().split("\\s+"));
  }

  /// How much of the machine others may use in a round that counts.
  ///
  /// @return a fraction
  double others() {
    return others / PERCENT;
  }

  /// How much of the machine the host may take in a round that counts.
  ///
  /// @return a fraction
  double steal() {
    return steal / PERCENT;
  }

  /// Of a measurement with lengths of its own.
  ///
  /// @param processes of a group
  /// @param unix      whether members talk by Unix domain sockets
  InstrumentOptions options(int processes, int rounds, Duration time, boolean unix, boolean quick) {
    return InstrumentOptions.withOwnLengths(
        processes, rounds, time, unix, jvm(), record, out, others(), steal(), quick);
  }
}
