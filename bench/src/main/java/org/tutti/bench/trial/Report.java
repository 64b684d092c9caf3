package org.tutti.bench.trial;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/// Prints figures as tables: the median of the rounds that count, and the lowest and the highest of them in brackets.
final class Report {
  private final PrintWriter out;

  Report(PrintWriter out) {
    this.out = out;
  }

  void machine(Map<String, Object> machine, List<Team> teams) {
    out.println();
    machine.forEach((what, value) -> out.printf("%-11s %s%n", what + ":", value));
    teams.forEach(team -> out.printf("%-11s %d processes, java %s%n", team.name() + ":", team.size(), team.flags()));
  }

  void heat(Heat heat) {
    out.printf("%n%s: %s%s%n", heat.title(), lacking(heat), unstable(heat));
    print(rows(heat));
  }

  /// Where the time of a heat went, if that was recorded.
  void stages(Heat heat) {
    List<String> lines = StageTable.of(heat);
    if (!lines.isEmpty()) {
      out.println();
      lines.forEach(out::println);
      out.flush();
    }
  }

  /// A head, and two rows for each trial: its figures, and their ratios to those of the first one.
  static List<List<String>> rows(Heat heat) {
    var measures = new TreeSet<Measure>();
    heat.rounds().forEach(round -> round.outcomes().forEach(outcome -> measures.addAll(outcome.values().keySet())));
    List<List<String>> rows = new ArrayList<>();
    var head = new ArrayList<String>(List.of(""));
    measures.forEach(measure -> head.add(measure.title()));
    rows.add(head);
    for (int trial = 0; trial < heat.trials().size(); trial++) {
      var row = new ArrayList<String>(List.of("  " + heat.trials().get(trial).name()));
      var ratios = new ArrayList<String>(List.of("    over " + heat.trials().getFirst().name()));
      for (Measure measure : measures) {
        row.add(heat.figure(trial, measure).show(measure::show));
        Numbers ratio = heat.ratio(trial, 0, measure);
        ratios.add(ratio.rounds() == 0 ? "" : ratio.show(Goal::hundredths));
      }
      rows.add(row);
      if (trial > 0) {
        rows.add(ratios);
      }
    }
    return rows;
  }

  /// How many of its rounds count, and why others do not.
  static String lacking(Heat heat) {
    String why =
        heat.rounds().stream()
            .filter(round -> !round.counts())
            .map(round -> " (" + round.disturbance() + ")")
            .findFirst()
            .orElse("");
    return heat.roundsThatCount()
        + " of "
        + heat.rounds().size()
        + " rounds count"
        + why
        + (heat.roundsThatCount() == 0 && !heat.rounds().isEmpty() ? "; FIGURES OF DISTURBED ROUNDS" : "");
  }

  /// Who did not come to run evenly before the first round.
  static String unstable(Heat heat) {
    var names = new ArrayList<String>();
    for (int i = 0; i < heat.warmUps().size(); i++) {
      if (!heat.warmUps().get(i).stable()) {
        names.add(heat.trials().get(i).name());
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
      var line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(String.format(Locale.ROOT, "%-" + (widths[i] + 2) + "s", row.get(i)));
      }
      out.println(line.toString().stripTrailing());
    }
    out.flush();
  }

  void goals(List<Goal> goals) {
    if (!goals.isEmpty()) {
      out.printf("%nGoals%n");
      goals.forEach(goal -> out.println(goal.line()));
      out.flush();
    }
  }
}
