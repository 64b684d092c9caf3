package org.tutti.examples.accounts;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// What happened in a demo: shown as it happens, and summed up at the end.
final class DemoLog {
  private final ProgressDisplay display;
  private final Set<String> views = new HashSet<>();
  private final List<String> kills = new ArrayList<>();
  private final List<String> rejoins = new ArrayList<>();
  private final Map<String, String> results = new LinkedHashMap<>(); // those of the scenario, by their labels
  private final List<String> findings = new ArrayList<>();
  private boolean formed;
  private String view = "no view yet";
  private long firstAnswerNanos;
  private long lastAnswerNanos;
  private long shownAnswers;
  private long shownNanos;

  DemoLog(ProgressDisplay display) {
    this.display = display;
  }

  /// All replicas of the beginning serve.
  void formed() {
    formed = true;
    display.event("all replicas serve");
  }

  /// Something that the scenario shows at the end.
  void result(String label, String text) {
    results.put(label, text);
  }

  /// Something that must be so.
  ///
  /// @param holds   whether it is
  /// @param finding what is wrong otherwise
  void expect(boolean holds, String finding) {
    if (!holds) {
      findings.add(finding);
      display.event("VIOLATED: " + finding);
    }
  }

  void event(String text) {
    display.event(text);
  }

  /// A replica reports something; a view is shown when the first of its members has it.
  void reported(ChildProcess replica, StatusLine report) {
    switch (report) {
      case StatusLine.Installed(String id, boolean primary, var members) -> {
        if (views.add(id)) {
          String text = "view " + id + (primary ? "" : " (not primary)") + ": " + String.join(" ", members);
          display.event(text);
          view = primary ? text : view;
        }
      }
      case StatusLine.CaughtUp(long next) when formed -> caughtUp(replica, next);
      case StatusLine.Suspended(long next) ->
          display.event(replica.name + " is cut off at position " + ProgressDisplay.count(next));
      case StatusLine.Waiting(String status) -> display.event(replica.name + ": " + status);
      case StatusLine.Progress(long answered, _, _) when answered > 0 -> {
        lastAnswerNanos = System.nanoTime();
        firstAnswerNanos = firstAnswerNanos == 0 ? lastAnswerNanos : firstAnswerNanos;
      }
      default -> {}
    }
  }

  private void caughtUp(ChildProcess replica, long next) {
    StatusLine.Received state = replica.last(StatusLine.Received.class);
    String bytes = ProgressDisplay.count(state == null ? 0 : state.bytes());
    String text =
        "%s caught up at position %s, %s, from %s bytes of state"
            .formatted(replica.name, ProgressDisplay.count(next), replica.absence(), bytes);
    display.event(text);
    rejoins.add(text);
  }

  void killed(String replica, String what) {
    kills.add(replica + ", " + what);
    display.event("killed " + replica + ", " + what);
  }

  int views() {
    return views.size();
  }

  /// Shows the line of progress: the rate is that since it was shown last.
  void progress(long answered) {
    long now = System.nanoTime();
    long perSecond = (long) ((answered - shownAnswers) * 1e9 / (now - shownNanos));
    shownAnswers = answered;
    shownNanos = now;
    display.progress(
        "%s acknowledged, %s per second, %s"
            .formatted(ProgressDisplay.count(answered), ProgressDisplay.count(perSecond), view));
  }

  /// Shows the results.
  ///
  /// @param audit          the compared databases
  /// @param clients        the last words of all clients
  /// @param executedBefore how many requests were delivered again
  /// @return whether all that was promised holds
  boolean sumUp(Audit audit, List<StatusLine.Progress> clients, long executedBefore) {
    display.result("views", views.size() + " installed");
    display.result("kills", kills.isEmpty() ? "none" : kills.size() + ": " + String.join("; ", kills));
    rejoins.forEach(rejoin -> display.result("rejoin", rejoin));
    results.forEach(display::result);
    display.result(
        "transactions",
        audit.outcomes().entrySet().stream()
            .map(outcome ->
                ProgressDisplay.count(outcome.getValue()) + " " + outcome.getKey().name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", ")));
    display.result(
        "retries",
        "%d commands sent again by clients that changed replica %d times; %d came twice and were executed once"
            .formatted(
                clients.stream().mapToLong(StatusLine.Progress::resent).sum(),
                clients.stream().mapToLong(StatusLine.Progress::moves).sum(),
                executedBefore));
    double seconds = (lastAnswerNanos - firstAnswerNanos) / 1e9;
    long[] waits = audit.waits();
    display.result(
        "throughput",
        "%s transactions per second, all that happened included"
            .formatted(ProgressDisplay.count((long) (waits.length / seconds))));
    display.result(
        "longest gap", "%.2f s without an acknowledged transaction".formatted(audit.longestGapMicros() / 1e6));
    display.result(
        "latency", "p50 %s, p99 %s, longest %s".formatted(millis(waits, 0.50), millis(waits, 0.99), millis(waits, 1)));
    display.result(
        "balances",
        "%s accounts, together %s cents: accepted deposits - accepted withdrawals"
            .formatted(ProgressDisplay.count(audit.accounts()), ProgressDisplay.count(audit.expectedSum())));
    findings.addAll(audit.findings());
    findings.forEach(finding -> display.result("finding", finding));
    display.result(
        "verdict",
        findings.isEmpty()
            ? "HOLDS: all databases are equal, every acknowledged transaction is in each exactly once"
            : "VIOLATED");
    return findings.isEmpty();
  }

  private static String millis(long[] sortedMicros, double quantile) {
    int index = Math.max((int) Math.ceil(quantile * sortedMicros.length) - 1, 0);
    return "%.1f ms".formatted(sortedMicros[index] / 1000.0);
  }
}
