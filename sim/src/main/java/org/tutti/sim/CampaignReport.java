package org.tutti.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/// What came of a campaign, or of its beginning: counts over all its runs, and the runs that failed. It can be written
/// down and read again.
public final class CampaignReport implements SeedReport<RunResult> {
  private static final int FAILURES_MAX = 100; // kept with their words; all are counted

  private enum Count {
    SEEDS("seeds", _ -> 1),
    STEPS("steps", RunResult::steps),
    FRAMES("frames", RunResult::frames),
    MULTICASTS("multicasts", RunResult::multicasts),
    DELIVERIES("deliveries", RunResult::deliveries),
    EARLY("early deliveries", RunResult::early),
    IN_BRANCHES("deliveries in branches", RunResult::inBranches),
    WITH_BRANCHES("seeds with branches", outcome -> one(outcome.inBranches() > 0)),
    CHAINED("batches along chains", RunResult::chained),
    RELAYED("batches through relays", RunResult::relayed),
    MIXED("seeds with several ways of one member", outcome -> one(outcome.mixed())),
    UNDECIDED("undecided in a minority", RunResult::undecided),
    SUBSETS("subset multicasts", RunResult::subsets),
    SUBSET_DELIVERIES("deliveries of subset multicasts", RunResult::subsetDeliveries),
    SPILLS("times that something was spilled", RunResult::spills),
    VIEWS("views installed", RunResult::views),
    TRANSFERS("state transfers", RunResult::transfers),
    CALLS("calls of clients", RunResult::calls),
    TOLD("calls with an outcome", RunResult::told),
    COPIES("commands to further replicas", RunResult::copies),
    SUSPICIONS("suspicions of managers by clients", RunResult::suspicions),
    COLLECTED("outcomes of several replies", RunResult::collected),
    REDUCED("of them with reduced membership", RunResult::reduced),
    GROUPS("groups of clients with replicas", RunResult::groups),
    IN_GROUPS("replies to calls in them", RunResult::inGroups),
    BUNDLES("bundles of several replies", RunResult::bundles),
    WITH_COPIES("seeds: clients send to all", outcome -> one(outcome.copies() > 0)),
    WITH_SUSPICIONS("seeds: clients suspect managers", outcome -> one(outcome.suspicions() > 0)),
    FIRST_CRASHED("seeds: first member crashed", outcome -> one(outcome.firstCrashed())),
    SENDER_CRASHED("seeds: sender at work crashed", outcome -> one(outcome.senderCrashed())),
    QUORUM_LOST("seeds that lost their quorum", outcome -> one(outcome.quorumLost())),
    VIOLATIONS("violations", outcome -> one(!outcome.passed()));

    final String words;
    final ToLongFunction<RunResult> of;

    Count(String words, ToLongFunction<RunResult> of) {
      this.words = words;
      this.of = of;
    }

    private static long one(boolean is) {
      return is ? 1 : 0;
    }
  }

  private final Map<Count, Long> counts = new EnumMap<>(Count.class);
  private final Map<FaultKind, Long> faults = new EnumMap<>(FaultKind.class);
  private final Map<FaultKind, Long> seedsWith = new EnumMap<>(FaultKind.class);
  private final SplitTable splits = new SplitTable();
  private final List<RunResult> failures = new ArrayList<>();

  /// Begins empty.
  public CampaignReport() {}

  @Override
  public void add(RunResult outcome) {
    for (Count count : Count.values()) {
      counts.merge(count, count.of.applyAsLong(outcome), Long::sum);
    }
    splits.add(outcome.splits());
    outcome
        .faults()
        .forEach((kind, number) -> {
          faults.merge(kind, number, Long::sum);
          seedsWith.merge(kind, 1L, Long::sum);
        });
    if (!outcome.passed()) {
      keep(outcome);
    }
  }

  private void keep(RunResult failed) {
    if (failures.size() < FAILURES_MAX) {
      failures.add(failed);
    }
  }

  private long count(Count count) {
    return counts.getOrDefault(count, 0L);
  }

  @Override
  public long seeds() {
    return count(Count.SEEDS);
  }

  @Override
  public long failed() {
    return count(Count.VIOLATIONS);
  }

  @Override
  public List<RunResult> failures() {
    return List.copyOf(failures);
  }

  /// How many calls the clients of replicated services made.
  ///
  /// @return calls
  public long calls() {
    return count(Count.CALLS);
  }

  /// How many of them had a reply or a refusal.
  ///
  /// @return calls
  public long told() {
    return count(Count.TOLD);
  }

  /// How often a kind of fault was injected.
  ///
  /// @param kind the kind
  /// @return times
  public long faults(FaultKind kind) {
    return faults.getOrDefault(kind, 0L);
  }

  /// In how many runs a kind of fault was injected.
  ///
  /// @param kind the kind
  /// @return seeds
  public long seedsWith(FaultKind kind) {
    return seedsWith.getOrDefault(kind, 0L);
  }

  /// The splits of all shapes, and what merged.
  ///
  /// @return nothing unless the plans are those of a campaign of splits
  public SplitTable splits() {
    return splits;
  }

  @Override
  public String line() {
    return String.format(
        "%,d seeds, %,d steps, %,d multicasts, %,d views, %,d violations",
        seeds(), count(Count.STEPS), count(Count.MULTICASTS), count(Count.VIEWS), failed());
  }

  @Override
  public String table() {
    var text = new StringBuilder();
    for (Count count : Count.values()) {
      if (count != Count.VIOLATIONS) {
        row(text, count);
      }
    }
    text.append(String.format("%-30s %15s %10s%n", "faults injected", "times", "of seeds"));
    for (FaultKind kind : FaultKind.values()) {
      double share = seeds() == 0 ? 0 : 100.0 * seedsWith(kind) / seeds();
      text.append(String.format("  %-28s %,15d %8.1f %%%n", kind.option(), faults.getOrDefault(kind, 0L), share));
    }
    text.append(splits.isEmpty() ? "" : splits.table());
    row(text, Count.VIOLATIONS);
    return text.toString();
  }

  private void row(StringBuilder text, Count count) {
    text.append(String.format("%-30s %,15d%n", count.words, count(count)));
  }

  @Override
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    counts.forEach((count, number) -> lines.add("count " + count + " " + number));
    faults.forEach((kind, number) -> lines.add("fault " + kind + " " + number + " " + seedsWith(kind)));
    splits.lines().forEach(line -> lines.add("split " + line));
    failures.forEach(
        failed -> lines.add("failed " + failed.plan().seed() + " " + failed.violations().getFirst().property()));
    return lines;
  }

  /// Reads lines that [#lines] wrote. Failed runs are run once more, for their words.
  ///
  /// @throws IllegalArgumentException when a line is not understood
  static CampaignReport read(List<String> lines, Limits limits) {
    var report = new CampaignReport();
    for (String line : lines) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "count" -> report.counts.put(Count.valueOf(words[1]), Long.parseLong(words[2]));
        case "fault" -> {
          report.faults.put(FaultKind.valueOf(words[1]), Long.parseLong(words[2]));
          report.seedsWith.put(FaultKind.valueOf(words[1]), Long.parseLong(words[3]));
        }
        case "split" -> report.splits.read(Arrays.asList(words).subList(1, words.length));
        case "failed" -> report.keep(Simulation.run(Plan.draw(Long.parseLong(words[1])).within(limits)));
        default -> throw new IllegalArgumentException("not understood: " + line);
      }
    }
    return report;
  }
}
