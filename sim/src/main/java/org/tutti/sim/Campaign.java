package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Many seeds, on a few threads: each run is single-threaded and knows nothing of the others, and the report takes them
/// up in their order, so that it does not depend on the threads and is at any moment that of the seeds before one.
///
/// @param <R> what comes of one run
/// @param <T> what comes of all
public final class Campaign<R, T extends SeedReport<R>> {
  private final long last; // behind the last seed
  private final LongFunction<R> run;
  private final AtomicLong seedNext;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final T report;
  private final TreeMap<Long, R> early = new TreeMap<>(); // finished before a seed that is before them
  private long reportedNext;

  /// Prepares the rest of a campaign.
  ///
  /// @param first  the first seed of the whole campaign
  /// @param count  how many seeds the whole campaign has, at least 1
  /// @param run    runs a seed, on any of the threads
  /// @param before the report of those that are done; empty at the beginning
  public Campaign(long first, long count, LongFunction<R> run, T before) {
    this.last = first + count;
    this.run = run;
    this.report = before;
    this.reportedNext = first + before.seeds();
    this.seedNext = new AtomicLong(reportedNext);
  }

  /// Prepares a campaign of groups.
  ///
  /// @param first  the first seed
  /// @param count  how many seeds, at least 1
  /// @param limits what to leave out of every run
  /// @return not begun
  public static Campaign<RunResult, CampaignReport> of(long first, long count, Limits limits) {
    return new Campaign<>(first, count, seed -> Simulation.run(Plan.draw(seed).within(limits)), new CampaignReport());
  }

  /// Runs all seeds and waits for them.
  ///
  /// @param threads  how many runs at a time
  /// @param progress gets the report so far after each run, on any of the threads, one at a time
  /// @return the report, of all seeds unless the thread was interrupted: then of those up to one
  /// @throws IllegalStateException when the simulator itself broke
  public T run(int threads, Consumer<T> progress) {
    List<Thread> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      workers.add(Thread.ofPlatform().name("seeds-" + i).start(() -> work(progress)));
    }
    boolean interrupted = false;
    for (Thread worker : workers) {
      while (worker.isAlive()) {
        try {
          worker.join();
        } catch (InterruptedException e) {
          seedNext.set(last);
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    Throwable error = failure.get();
    if (error != null) {
      throw new IllegalStateException("the simulator broke after " + report.seeds() + " seeds", error);
    }
    return report;
  }

  /// Runs no more seeds but those that have begun.
  public void stop() {
    seedNext.set(last);
  }

  private void work(Consumer<T> progress) {
    try {
      for (long seed = seedNext.getAndIncrement(); seed < last; seed = seedNext.getAndIncrement()) {
        R outcome = run.apply(seed);
        synchronized (report) {
          early.put(seed, outcome);
          while (early.containsKey(reportedNext)) {
            report.add(early.remove(reportedNext++));
          }
          progress.accept(report);
        }
      }
    } catch (Throwable error) {
      // A run that the simulator itself could not finish is no run: the campaign must not look as if it had passed.
      seedNext.set(last);
      failure.compareAndSet(null, error);
    }
  }
}
