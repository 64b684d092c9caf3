package org.tutti.sim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/// What many [RecoveryRun]s showed, as distributions for each fault.
public final class RecoveryTable {
  private static final double MEDIAN = 0.5;
  private static final double MOST = 0.99;

  private final Map<SingleFault, List<RecoveryRun.Result>> results = new EnumMap<>(SingleFault.class);

  /// Begins empty.
  public RecoveryTable() {}

  /// Runs seeds, some at a time, until all are done or the calling thread is interrupted.
  ///
  /// @param first    the first seed
  /// @param count    how many
  /// @param only     the fault of all runs, or null for the one that each seed draws
  /// @param threads  how many runs at a time
  /// @param progress gets the table so far after each run
  /// @return all that are done
  public static RecoveryTable run(
      long first, long count, @Nullable SingleFault only, int threads, Consumer<RecoveryTable> progress) {
    var table = new RecoveryTable();
    try (ExecutorService workers = Executors.newFixedThreadPool(threads)) {
      var done = new ExecutorCompletionService<RecoveryRun.Result>(workers);
      long next = first; // as many are handed over as are under way or next
      try {
        for (long i = 0; i < count; i++) {
          for (; next < first + Math.min(count, i + 2L * threads); next++) {
            long seed = next;
            done.submit(() -> RecoveryRun.run(seed, only));
          }
          table.add(done.take().get());
          progress.accept(table);
        }
      } finally {
        workers.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the simulator broke", e.getCause());
    }
    return table;
  }

  /// Takes up a run.
  ///
  /// @param result what it showed
  public void add(RecoveryRun.Result result) {
    results.computeIfAbsent(result.fault(), _ -> new ArrayList<>()).add(result);
  }

  /// How many runs there were.
  ///
  /// @return runs
  public int runs() {
    return results.values().stream().mapToInt(List::size).sum();
  }

  /// The runs in which something did not hold.
  ///
  /// @return by seed
  public List<RecoveryRun.Result> failures() {
    return results.values().stream()
        .flatMap(List::stream)
        .filter(result -> !result.passed())
        .sorted(Comparator.comparingLong(RecoveryRun.Result::seed))
        .toList();
  }

  /// All figures: for each fault the median, the 99th percentile and the largest, in times of suspicion, of the time
  /// without a delivery, the time until all deliver again and the time until all are in one view; and of the views, and
  /// those after the end of the fault; and, of all runs, of the time until all that began were in one view.
  ///
  /// @return a line each
  public String table() {
    var text = new StringBuilder();
    text.append(
        String.format(
            "%-24s %6s  %-17s %-17s %-17s %-12s %-12s%n",
            "fault", "runs", "no delivery", "all deliver", "one view", "views", "after it"));
    results.forEach((fault, some) ->
        text.append(
            String.format(
                "%-24s %6d  %-17s %-17s %-17s %-12s %-12s%n",
                fault.words(),
                some.size(),
                spread(some, "%.2f", RecoveryRun.Result::silence),
                spread(some, "%.2f", RecoveryRun.Result::next),
                spread(some, "%.2f", RecoveryRun.Result::whole),
                spread(some, "%.0f", RecoveryRun.Result::views),
                spread(some, "%.0f", RecoveryRun.Result::healViews))));
    List<RecoveryRun.Result> all = results.values().stream().flatMap(List::stream).toList();
    text.append(
        String.format(
            "%-24s %6d  %-17s %-17s %-17s%n",
            "all begin", all.size(), "-", "-", spread(all, "%.2f", RecoveryRun.Result::begun)));
    return text.toString();
  }

  private static String spread(
      List<RecoveryRun.Result> some, String format, ToDoubleFunction<RecoveryRun.Result> figure) {
    double[] sorted = some.stream().mapToDouble(figure).filter(value -> value >= 0).sorted().toArray();
    if (sorted.length == 0) {
      return "-";
    }
    return String.join(
        " / ",
        String.format(format, at(sorted, MEDIAN)),
        String.format(format, at(sorted, MOST)),
        String.format(format, sorted[sorted.length - 1]));
  }

  private static double at(double[] sorted, double share) {
    return sorted[(int) Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
  }
}
