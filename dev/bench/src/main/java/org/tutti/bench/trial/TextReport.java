package org.tutti.bench.trial;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/// Prints figures as tables in Markdown: the median of the rounds that count, and the lowest and the highest of them in
/// brackets.
final class TextReport {
  private static final double PERCENT = 100;

  private final PrintWriter out;

  TextReport(PrintWriter out) {
    this.out = out;
  }

  void machine(Map<String, Object> machine, List<ProcessGroup> processGroups) {
    out.println();
    machine.forEach((what, value) -> out.printf("%-11s %s%n", what + ":", value));
    processGroups.forEach(processGroup ->
        out.printf(
            "%-11s %d processes, java %s%n", processGroup.name() + ":", processGroup.size(), processGroup.flags()));
  }

  void trialSet(TrialSet trialSet) {
    table(trialSet, rows(trialSet));
  }

  void table(TrialSet trialSet, List<List<String>> rows) {
    table(trialSet.title() + ": " + lacking(trialSet) + unsteady(trialSet), rows);
  }

  void table(String title, List<List<String>> rows) {
    out.printf("%n%s%n%n", title);
    print(rows);
  }

  /// Whether figures count.
  static String verdict(boolean complete, Machine.Limits limits) {
    String rule =
        String.format(
            Locale.ROOT,
            "others used up to %.0f %% of the machine and the host took up to %.0f %%",
            limits.others() * PERCENT,
            limits.steal() * PERCENT);
    return complete
        ? "Every figure comes from rounds in which " + rule + "."
        : "SOME FIGURES DO NOT COUNT: in too few rounds " + rule + ".";
  }

  /// A head, and two rows for each trial: its figures, and their ratios to those of the first one.
  static List<List<String>> rows(TrialSet trialSet) {
    var measures = new TreeSet<Measure>();
    trialSet.rounds().forEach(round -> round.outcomes().forEach(outcome -> measures.addAll(outcome.values().keySet())));
    List<List<String>> rows = new ArrayList<>();
    var head = new ArrayList<String>(List.of(""));
    measures.forEach(measure -> head.add(measure.title()));
    rows.add(head);
    for (int trial = 0; trial < trialSet.trials().size(); trial++) {
      var row = new ArrayList<String>(List.of(trialSet.trials().get(trial).name()));
      var ratios = new ArrayList<String>(List.of("- over " + trialSet.trials().getFirst().name()));
      for (Measure measure : measures) {
        row.add(trialSet.figure(trial, measure).show(measure::show));
        Numbers ratio = trialSet.ratio(trial, 0, measure);
        ratios.add(ratio.rounds() == 0 ? "" : ratio.show(Numbers::hundredths));
      }
      rows.add(row);
      if (trial > 0) {
        rows.add(ratios);
      }
    }
    return rows;
  }

  /// How many of its rounds count, and why others do not.
  static String lacking(TrialSet trialSet) {
    String why =
        trialSet.rounds().stream()
            .filter(round -> !round.counts())
            .map(round -> " (" + round.disturbance() + ")")
            .findFirst()
            .orElse("");
    return trialSet.roundsThatCount()
        + " of "
        + trialSet.rounds().size()
        + " rounds count"
        + why
        + (trialSet.roundsThatCount() == 0 && !trialSet.rounds().isEmpty() ? "; FIGURES OF DISTURBED ROUNDS" : "");
  }

  /// Who did not come to run evenly before the first round.
  static String unsteady(TrialSet trialSet) {
    var names = new ArrayList<String>();
    for (int i = 0; i < trialSet.warmUps().size(); i++) {
      if (!trialSet.warmUps().get(i).steady()) {
        names.add(trialSet.trials().get(i).name());
      }
    }
    return names.isEmpty() ? "" : "; uneven at the end of its warm-up: " + String.join("; ", names);
  }

  private void print(List<List<String>> rows) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      line(row, widths, " ");
      if (row == rows.getFirst()) {
        line(Collections.nCopies(columns, ""), widths, "-");
      }
    }
    out.flush();
  }

  private void line(List<String> cells, int[] widths, String padding) {
    var line = new StringBuilder("|");
    for (int i = 0; i < widths.length; i++) {
      line.append(' ').append(cells.get(i)).repeat(padding, widths[i] - cells.get(i).length()).append(" |");
    }
    out.println(line);
  }
}
