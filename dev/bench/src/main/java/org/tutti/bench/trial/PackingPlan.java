package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.bench.member.TrafficSource;

/// Natural packing and hill climb beside fixed degrees, with the sources of the paper on adaptive packing.
///
/// That paper's group carried 453 messages of 1000 bytes a second without packing, and its bursts were made for that.
/// So bursts are longer here, by as much as this group carries more.
final class PackingPlan {
  private static final String NATURAL = "natural";
  private static final String HILL_CLIMB = "hill-climb";
  private static final List<String> POLICIES = List.of(NATURAL, HILL_CLIMB);
  private static final String NO_PACKING = "1";
  private static final double RATE_OF_PAPER = 453; // table 1, 1000 bytes
  private static final int BYTES = 1000;
  private static final int BATCH_BYTES = 64 << 10; // no degree makes longer batches
  private static final int WINDOWS_MAX = 8;
  private static final int SETTLE_TIMES = 3;
  private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long SHORT_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int LONG_BURST = 15; // figure 6
  private static final int BURST = 5; // table 3
  private static final int SHORT_BURST = 2; // table 3
  private static final int CONSTANT_PART = 2; // of what is carried without packing

  private final InstrumentOptions options;
  private final List<Integer> degrees;
  private final ProcessGroup processGroup;
  private final @Nullable ProcessGroup database;
  private final List<TrialSet> trialSets = new ArrayList<>();

  /// @param degrees  fixed ones, rising, the first one 1
  /// @param database whose members write each delivery to a database: then it is compared with the other one, and only
  ///                 with continuous sources of one length; or null
  PackingPlan(
      InstrumentOptions options, List<Integer> degrees, ProcessGroup processGroup, @Nullable ProcessGroup database) {
    this.options = options;
    this.degrees = List.copyOf(degrees);
    this.processGroup = processGroup;
    this.database = database;
  }

  List<TrialSet> trialSets() throws InterruptedException {
    boolean quick = options.quick();
    for (int bytes : options.bytes()) {
      TrafficSource source = TrafficSource.continuous(bytes);
      add("continuous source", source, "table 2, figure 3");
      if (database != null) {
        add("each delivery in a database, continuous source", source, "table 2, figure 3", database);
      }
    }
    if (database != null) {
      return trialSets;
    }
    add("continuous source", TrafficSource.continuous(BYTES, 3 * BYTES), "figure 5");
    double unpacked = unpacked();
    int longer = Math.max(1, (int) Math.round(unpacked / RATE_OF_PAPER));
    burst(LONG_BURST, longer, SLEEP_NANOS, "figure 6");
    if (!quick) {
      burst(BURST, longer, SLEEP_NANOS, "table 3");
      burst(SHORT_BURST, longer, SHORT_SLEEP_NANOS, "table 3");
      int perSecond = Math.max(1, (int) unpacked / CONSTANT_PART);
      String text = String.format(Locale.ROOT, "constant rate of %,d/s, half of the peak without packing", perSecond);
      add(text, new TrafficSource(List.of(BYTES), 1, 0, perSecond), "low load");
    }
    settling(quick ? 2 : SETTLE_TIMES);
    return trialSets;
  }

  private void burst(int messages, int longer, long sleepNanos, String where) {
    String text =
        String.format(
            Locale.ROOT,
            "bursts of %d x %d messages, %d ms of sleep",
            longer,
            messages,
            TimeUnit.NANOSECONDS.toMillis(sleepNanos));
    var source = new TrafficSource(List.of(BYTES), longer * messages, sleepNanos, 0);
    add(text, source, where + ", bursts " + longer + " x longer");
  }

  private void add(String text, TrafficSource source, String where) {
    add(text, source, where, processGroup);
  }

  private void add(String text, TrafficSource source, String where, ProcessGroup by) {
    String lengths =
        source.bytes().stream()
            .map(length -> String.format(Locale.ROOT, "%,d", length))
            .collect(Collectors.joining(" and "));
    int shortest = source.bytes().stream().mapToInt(Integer::intValue).min().orElseThrow();
    List<String> fixed =
        degrees.stream()
            .filter(degree -> degree == 1 || (long) degree * shortest <= BATCH_BYTES)
            .map(String::valueOf)
            .toList();
    var trials = new ArrayList<TrialSet.Trial>();
    fixed.forEach(degree -> trials.add(trial(degree, source, by)));
    POLICIES.forEach(policy -> trials.add(trial(policy, source, by)));
    trialSets.add(new TrialSet(text + ", " + lengths + " B (" + where + ")", trials, options.rounds()));
  }

  /// What a fixed degree is called in tables.
  private static String title(String packing) {
    return POLICIES.contains(packing) ? packing : packing.equals(NO_PACKING) ? "no packing" : "degree " + packing;
  }

  private TrialSet.Trial trial(String packing, TrafficSource source, ProcessGroup by) {
    return new TrialSet.Trial(title(packing), by, new Task.Packed(packing, source, options.time().toNanos()));
  }

  /// A policy that begins under a continuous source.
  private void settling(int times) {
    var trials = new ArrayList<TrialSet.Trial>();
    for (String policy : POLICIES) {
      Task task = new Task.Settling(policy, TrafficSource.continuous(BYTES), times * options.time().toNanos());
      trials.add(new TrialSet.Trial(policy, processGroup, task));
    }
    trialSets.add(new TrialSet("a policy begins, continuous source, 1,000 B", trials, options.rounds()));
  }

  /// The rate without packing, once it does not grow any more.
  private double unpacked() throws InterruptedException {
    var windows = new ArrayList<Double>();
    Task window = new Task.Packed(NO_PACKING, TrafficSource.continuous(BYTES), options.time().toNanos() / 2);
    while (!Rounds.isSteady(windows) && windows.size() < WINDOWS_MAX) {
      windows.add(processGroup.run(window, processGroup.pids()).value(Measure.RATE));
    }
    return windows.getLast();
  }
}
