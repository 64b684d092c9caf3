package org.tutti.workshop;

import java.time.Duration;
import java.util.NavigableMap;
import org.tutti.bench.ClosedBenchmark;
import org.tutti.cli.TimeConverter;
import org.tutti.transport.TransportProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Options of benchmarks whose nodes are all in this process: how many rounds, and how long they last.
final class LocalRounds {
  private static final int ROUNDS = 5;
  private static final int QUICK_ROUNDS = 3;
  private static final Duration TIME = Duration.ofMillis(200);
  private static final Duration QUICK_TIME = Duration.ofMillis(80);

  @Option(names = "--rounds", paramLabel = "N", description = "Rounds (5; with --quick 3).")
  private int rounds;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      converter = TimeConverter.class,
      description = "How long one measurement lasts (200ms; with --quick 80ms).")
  private Duration time = Duration.ZERO;

  @Option(names = "--quick", description = "Short rounds.")
  boolean quick;

  int rounds() {
    return rounds > 0 ? rounds : quick ? QUICK_ROUNDS : ROUNDS;
  }

  Duration time() {
    return !time.isZero() ? time : quick ? QUICK_TIME : TIME;
  }

  /// Who opens a transport.
  ///
  /// @param name the transport's
  /// @throws IllegalArgumentException when there is none of this name
  static TransportProvider transport(String name) {
    NavigableMap<String, TransportProvider> all = ClosedBenchmark.transportsByName();
    TransportProvider chosen = all.get(name);
    if (chosen == null) {
      throw new IllegalArgumentException("'" + name + "' is none of: " + String.join(", ", all.keySet()));
    }
    return chosen;
  }

  /// The same, and one transport.
  static final class OverOne {
    @Mixin LocalRounds local = new LocalRounds();

    @Option(names = "--transport", paramLabel = "NAME", description = "The transport between all (${DEFAULT-VALUE}).")
    private String transport = "tcp";

    /// Who opens the one that was chosen.
    ///
    /// @throws IllegalArgumentException when there is none of this name
    TransportProvider transport() {
      return LocalRounds.transport(transport);
    }
  }
}
