package org.tutti.sim.ipc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.sim.SeedReport;

/// What came of many [IpcRun]s: how often what happened, and the runs that failed.
public final class IpcReport implements SeedReport<IpcRun.Outcome> {
  private static final int FAILURES_MAX = 100; // kept with their words; all are counted

  private final Map<String, Long> met = new TreeMap<>();
  private final Map<String, Long> seedsWith = new TreeMap<>();
  private final List<IpcRun.Outcome> failures = new ArrayList<>();
  private long seeds;
  private long steps;
  private long failed;

  /// Begins empty.
  public IpcReport() {}

  /// Reads lines that [#lines] wrote. Failed runs are run once more, for their words.
  ///
  /// @param lines of a file
  /// @return the report
  /// @throws IllegalArgumentException when a line is not understood
  public static IpcReport read(List<String> lines) {
    var report = new IpcReport();
    for (String line : lines) {
      String[] words = line.split(" ", 4);
      switch (words[0]) {
        case "seeds" -> {
          report.seeds = Long.parseLong(words[1]);
          report.steps = Long.parseLong(words[2]);
          report.failed = Long.parseLong(words[3]);
        }
        case "met" -> {
          report.met.put(words[3], Long.parseLong(words[1]));
          report.seedsWith.put(words[3], Long.parseLong(words[2]));
        }
        case "failed" -> report.failures.add(IpcRun.run(Long.parseLong(words[1])));
        default -> throw new IllegalArgumentException("not understood: " + line);
      }
    }
    return report;
  }

  @Override
  public void add(IpcRun.Outcome outcome) {
    seeds++;
    steps += outcome.steps();
    outcome
        .met()
        .forEach((what, times) -> {
          met.merge(what, (long) times, Long::sum);
          seedsWith.merge(what, 1L, Long::sum);
        });
    if (!outcome.violations().isEmpty()) {
      failed++;
      if (failures.size() < FAILURES_MAX) {
        failures.add(outcome);
      }
    }
  }

  @Override
  public long seeds() {
    return seeds;
  }

  @Override
  public long failed() {
    return failed;
  }

  @Override
  public List<IpcRun.Outcome> failures() {
    return List.copyOf(failures);
  }

  /// In how many runs something happened.
  ///
  /// @param what a fault, or a call and its status
  /// @return seeds
  public long seedsWith(String what) {
    return seedsWith.getOrDefault(what, 0L);
  }

  @Override
  public String line() {
    return String.format("%,d seeds, %,d steps, %,d violations", seeds, steps, failed);
  }

  @Override
  public String table() {
    var text = new StringBuilder();
    text.append(String.format("%-30s %,15d%n%-30s %,15d%n", "seeds", seeds, "steps", steps));
    text.append(String.format("%-30s %15s %10s%n", "faults, and calls", "times", "of seeds"));
    met.forEach((what, times) ->
        text.append(
            String.format("  %-28s %,15d %8.1f %%%n", what, times, 100.0 * seedsWith(what) / Math.max(1, seeds))));
    text.append(String.format("%-30s %,15d%n", "violations", failed));
    return text.toString();
  }

  @Override
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("seeds " + seeds + " " + steps + " " + failed);
    met.forEach((what, times) -> lines.add("met " + times + " " + seedsWith(what) + " " + what));
    failures.forEach(one -> lines.add("failed " + one.seed()));
    return lines;
  }
}
