package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// Where the CPU time goes, as a table in Markdown: a row for each stage; for the process that floods, and for the mean
/// of the others, nanoseconds per message and per batch, and the part of the process's whole.
final class StageTable {
  private static final double PERCENT = 100;
  private static final double DECIMALS_BELOW = 100;

  private StageTable() {}

  /// The table of a trial set, of all its rounds that are used together.
  ///
  /// @return no line when nothing was recorded
  static List<String> of(TrialSet trialSet) {
    return trialSet.profile().map(profile -> lines(trialSet.title(), profile)).orElse(List.of());
  }

  static List<String> lines(String title, CpuProfile profile) {
    Spending sender = profile.sender();
    Spending receivers = profile.receivers();
    int others = profile.processes().size() - 1;
    var lines = new ArrayList<String>();
    lines.add(title + ": CPU time by stage");
    lines.add("");
    lines.add(
        "| stage | sequencer, ns/message | ns/batch | % | another member, ns/message | ns/batch | % | what it is |");
    lines.add("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
    Set<Stage> stages = new TreeSet<>(sender.nanos().keySet());
    stages.addAll(receivers.nanos().keySet());
    for (Stage stage : stages) {
      double its = sender.nanos().getOrDefault(stage, 0.0);
      double theirs = receivers.nanos().getOrDefault(stage, 0.0);
      lines.add(
          "| "
              + stage.title()
              + cells(its, sender.total(), profile, 1)
              + cells(theirs, receivers.total(), profile, others)
              + " | "
              + stage.text()
              + " |");
    }
    lines.add(
        "| **all**"
            + cells(sender.total(), sender.total(), profile, 1)
            + cells(receivers.total(), receivers.total(), profile, others)
            + " | the process's CPU time |");
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            "%,.1f messages per batch; %,d messages; %,d stacks of the sequencer, %,d of others; %.1f %% missed.",
            (double) profile.messages() / Math.max(1, profile.batches()),
            profile.messages(),
            sender.samples(),
            receivers.samples(),
            PERCENT * (sender.missed() + receivers.missed()) / Math.max(1, sender.samples() + receivers.samples())));
    if (!profile.byCpuTime()) {
      lines.add("This JVM cannot sample by CPU time: stacks were taken by the clock, and waiting counts as work.");
    }
    return lines;
  }

  private static String cells(double nanos, double total, CpuProfile profile, int processes) {
    double perMessage = nanos / processes / Math.max(1, profile.messages());
    double perBatch = nanos / processes / Math.max(1, profile.batches());
    return String.format(
        Locale.ROOT,
        " | %s | %,.0f | %.1f",
        String.format(Locale.ROOT, perMessage < DECIMALS_BELOW ? "%.1f" : "%,.0f", perMessage),
        perBatch,
        PERCENT * nanos / Math.max(1, total));
  }
}
