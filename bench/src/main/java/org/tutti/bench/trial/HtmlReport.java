package org.tutti.bench.trial;

import java.util.List;
import java.util.Map;

/// What was measured as one page of HTML that needs nothing else: goals, the machine, and for each comparison its
/// table, its rounds as dots, and its times over percentiles.
final class HtmlReport {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>%s</title><style>
      body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }
      table { border-collapse: collapse; margin: 1em 0; font-size: 13px; }
      td, th { padding: 3px 10px; border-bottom: 1px solid #ddd; text-align: left; white-space: nowrap; }
      pre { overflow-x: auto; font-size: 12px; } svg { display: block; margin: .5em 0 1em; max-width: 100%%; }
      .scroll { overflow-x: auto; } .ratio td { color: #666; border-bottom-color: #bbb; }
      .warning { background: #fff3cd; padding: .5em 1em; }
      </style></head><body><h1>%s</h1>
      """;

  private final StringBuilder page = new StringBuilder();

  /// Makes a page.
  static String of(
      String title,
      Map<String, Object> machine,
      List<ProcessGroup> processGroups,
      List<TrialSet> trialSets,
      List<Goal> goals) {
    return new HtmlReport().write(title, machine, processGroups, trialSets, goals);
  }

  private String write(
      String title,
      Map<String, Object> machine,
      List<ProcessGroup> processGroups,
      List<TrialSet> trialSets,
      List<Goal> goals) {
    page.append(HEAD.formatted(escaped(title), escaped(title)));
    if (!trialSets.stream().allMatch(TrialSet::complete)) {
      page.append("<p class='warning'>Some figures do not count: in too few rounds the machine was quiet.</p>");
    }
    if (!goals.isEmpty()) {
      page.append("<h2>Goals</h2><pre>");
      goals.forEach(goal -> page.append(escaped(goal.line())).append('\n'));
      page.append("</pre>");
    }
    page.append("<h2>Machine</h2><table>");
    machine.forEach((what, value) -> row(List.of(what, String.valueOf(value)), "td", ""));
    for (ProcessGroup processGroup : processGroups) {
      row(
          List.of(
              processGroup.name() + ", " + processGroup.size() + " processes",
              "java " + processGroup.flags() + " " + processGroup.settings()),
          "td",
          "");
    }
    page.append(
        "</table><p>Tables show the median of the rounds that count, and the lowest and the highest of them; "
            + "dots are rounds, hollow ones were disturbed, and the line is the median.</p>");
    trialSets.forEach(this::trialSet);
    return page.append("</body></html>\n").toString();
  }

  private void trialSet(TrialSet trialSet) {
    page.append("<h2>").append(escaped(trialSet.title())).append("</h2><p>");
    page.append(escaped(TextReport.lacking(trialSet) + TextReport.unsteady(trialSet))).append("</p>");
    if (trialSet.rounds().isEmpty()) {
      return;
    }
    page.append("<div class='scroll'><table>");
    List<List<String>> rows = TextReport.rows(trialSet);
    row(rows.getFirst(), "th", "");
    rows.stream().skip(1).forEach(row -> row(row, "td", row.getFirst().strip().startsWith("over ") ? "ratio" : ""));
    page.append("</table></div>");
    List<String> stages = StageTable.of(trialSet);
    if (!stages.isEmpty()) {
      page.append("<pre>").append(escaped(String.join("\n", stages))).append("</pre>");
    }
    Measure leading = trialSet.trials().getFirst().task().leading();
    page.append(Plot.dots(trialSet, leading)).append(Plot.curves(trialSet));
  }

  private void row(List<String> cells, String tag, String style) {
    page.append("<tr class='").append(style).append("'>");
    cells.forEach(
        cell -> page.append('<').append(tag).append('>').append(escaped(cell)).append("</").append(tag).append('>'));
    page.append("</tr>\n");
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("'", "&#39;")
        .replace("\"", "&quot;");
  }
}
