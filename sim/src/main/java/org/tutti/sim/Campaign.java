package org.tutti.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Many seeds, on a few threads: each run is single-threaded and knows nothing of the others, so that the report does
/// not depend on the threads.
public final class Campaign {
  private static final int FAILURES_MAX = 100; // kept with their words; all are counted

  private final long first;
  private final long count;
  private final Limits limits;
  private final AtomicLong seedNext;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Report report = new Report();

  /// Prepares a campaign.
  ///
  /// @param first  the first seed
  /// @param count  how many seeds, at least 1
  /// @param limits what to leave out of every run
  public Campaign(long first, long count, Limits limits) {
    this.first = first;
    this.count = count;
    this.limits = limits;
    this.seedNext = new AtomicLong(first);
  }

  /// Runs all seeds and waits for them.
  ///
  /// @param threads  how many runs at a time
  /// @param progress gets the report so far after each run, on any of the threads, one at a time
  /// @return the report, of all seeds unless the thread was interrupted
  /// @throws IllegalStateException when the simulator itself broke
  public Report run(int threads, Consumer<Report> progress) {
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      workers.add(Thread.ofPlatform().name("seeds-" + i).start(() -> work(progress)));
    }
    for (Thread worker : workers) {
      boolean interrupted = false;
      while (worker.isAlive()) {
        try {
          worker.join();
        } catch (InterruptedException e) {
          seedNext.set(first + count);
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    Throwable error = failure.get();
    if (error != null) {
      throw new IllegalStateException("the simulator broke after " + report.seeds + " seeds", error);
    }
    report.failures.sort(Comparator.comparingLong(failure -> failure.plan().seed()));
    return report;
  }

  private void work(Consumer<Report> progress) {
    try {
      for (long seed = seedNext.getAndIncrement(); seed < first + count; seed = seedNext.getAndIncrement()) {
        Outcome outcome = Simulation.run(Plan.draw(seed).within(limits));
        synchronized (report) {
          report.add(outcome);
          progress.accept(report);
        }
      }
    } catch (Throwable error) {
      // A run that the simulator itself could not finish is no run: the campaign must not look as if it had passed.
      seedNext.set(first + count);
      failure.compareAndSet(null, error);
    }
  }

  /// What came of a campaign.
  public static final class Report {
    private final Map<FaultKind, Long> faults = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Long> seedsWith = new EnumMap<>(FaultKind.class);
    private final SplitTable splits = new SplitTable();
    private final List<Outcome> failures = new ArrayList<>();
    private long seeds;
    private long failed;
    private long steps;
    private long frames;
    private long multicasts;
    private long deliveries;
    private long early;
    private long inBranches;
    private long withBranches;
    private long undecided;
    private long asides;
    private long asideDeliveries;
    private long views;
    private long transfers;
    private long firstCrashed;
    private long senderCrashed;
    private long quorumLost;

    private Report() {}

    private void add(Outcome outcome) {
      seeds++;
      steps += outcome.steps();
      frames += outcome.frames();
      multicasts += outcome.multicasts();
      deliveries += outcome.deliveries();
      early += outcome.early();
      inBranches += outcome.inBranches();
      withBranches += outcome.inBranches() > 0 ? 1 : 0;
      undecided += outcome.undecided();
      asides += outcome.asides();
      asideDeliveries += outcome.asideDeliveries();
      views += outcome.views();
      transfers += outcome.transfers();
      firstCrashed += outcome.firstCrashed() ? 1 : 0;
      senderCrashed += outcome.senderCrashed() ? 1 : 0;
      quorumLost += outcome.quorumLost() ? 1 : 0;
      splits.add(outcome.splits());
      outcome
          .faults()
          .forEach((kind, number) -> {
            faults.merge(kind, number, Long::sum);
            seedsWith.merge(kind, 1L, Long::sum);
          });
      if (!outcome.passed()) {
        failed++;
        if (failures.size() < FAILURES_MAX) {
          failures.add(outcome);
        }
      }
    }

    /// How many runs there were.
    ///
    /// @return seeds that are done
    public long seeds() {
      return seeds;
    }

    /// How many runs failed.
    ///
    /// @return seeds with a violation
    public long failed() {
      return failed;
    }

    /// The runs that failed, the first hundred of them.
    ///
    /// @return by seed
    public List<Outcome> failures() {
      return List.copyOf(failures);
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

    /// The counts so far in one line.
    ///
    /// @return seeds, steps, multicasts, views, violations
    public String line() {
      return String.format(
          "%,d seeds, %,d steps, %,d multicasts, %,d views, %,d violations", seeds, steps, multicasts, views, failed);
    }

    /// All counts, a line each.
    ///
    /// @return a table
    public String table() {
      var text = new StringBuilder();
      row(text, "seeds", seeds);
      row(text, "steps", steps);
      row(text, "frames", frames);
      row(text, "multicasts", multicasts);
      row(text, "deliveries", deliveries);
      row(text, "early deliveries", early);
      row(text, "deliveries in branches", inBranches);
      row(text, "seeds with branches", withBranches);
      row(text, "undecided in a minority", undecided);
      row(text, "asides", asides);
      row(text, "deliveries of asides", asideDeliveries);
      row(text, "views installed", views);
      row(text, "state transfers", transfers);
      row(text, "seeds: first member crashed", firstCrashed);
      row(text, "seeds: sender at work crashed", senderCrashed);
      row(text, "seeds that lost their quorum", quorumLost);
      text.append(String.format("%-30s %15s %10s%n", "faults injected", "times", "of seeds"));
      for (FaultKind kind : FaultKind.values()) {
        double share = seeds == 0 ? 0 : 100.0 * seedsWith(kind) / seeds;
        text.append(String.format("  %-28s %,15d %8.1f %%%n", kind.option(), faults.getOrDefault(kind, 0L), share));
      }
      text.append(splits.isEmpty() ? "" : splits.table());
      row(text, "violations", failed);
      return text.toString();
    }

    private static void row(StringBuilder text, String what, long number) {
      text.append(String.format("%-30s %,15d%n", what, number));
    }
  }
}
