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
final class Chronicle {
  private final Screen screen;
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

  Chronicle(Screen screen) {
    this.screen = screen;
  }

  /// All replicas of the beginning serve.
  void formed() {
    formed = true;
    screen.event("all replicas serve");
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
      screen.event("VIOLATED: " + finding);
    }
  }

  void event(String text) {
    screen.event(text);
  }

  /// A replica reports something; a view is shown when the first of its members has it.
  void reported(Child replica, Report report) {
    switch (report) {
      case Report.Installed(String id, boolean primary, var members) -> {
        if (views.add(id)) {
          String text = "view " + id + (primary ? "" : " (not primary)") + ": " + String.join(" ", members);
          screen.event(text);
          view = primary ? text : view;
        }
      }
      case Report.CaughtUp(long next) when formed -> caughtUp(replica, next);
      case Report.Suspended(long next) -> screen.event(replica.name + " is cut off at position " + Screen.count(next));
      case Report.Waiting(String status) -> screen.event(replica.name + ": " + status);
      case Report.Progress(long answered, _, _, _) when answered > 0 -> {
        lastAnswerNanos = System.nanoTime();
        firstAnswerNanos = firstAnswerNanos == 0 ? lastAnswerNanos : firstAnswerNanos;
      }
      default -> {}
    }
  }

  private void caughtUp(Child replica, long next) {
    Report.Received state = replica.last(Report.Received.class);
    String bytes = Screen.count(state == null ? 0 : state.bytes());
    String text =
        "%s caught up at position %s, %s, from %s bytes of state"
            .formatted(replica.name, Screen.count(next), replica.absence(), bytes);
    screen.event(text);
    rejoins.add(text);
  }

  void killed(String replica, String what) {
    kills.add(replica + ", " + what);
    screen.event("killed " + replica + ", " + what);
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
    screen.progress(
        "%s acknowledged, %s per second, %s".formatted(Screen.count(answered), Screen.count(perSecond), view));
  }

  /// Shows the results.
  ///
  /// @param audit          the compared databases
  /// @param clients        the last words of all clients
  /// @param executedBefore how many requests were delivered again
  /// @return whether all that was promised holds
  boolean sumUp(Audit audit, List<Report.Progress> clients, long executedBefore) {
    screen.result("views", views.size() + " installed");
    screen.result("kills", kills.isEmpty() ? "none" : kills.size() + ": " + String.join("; ", kills));
    rejoins.forEach(rejoin -> screen.result("rejoin", rejoin));
    results.forEach(screen::result);
    screen.result(
        "transactions",
        audit.outcomes().entrySet().stream()
            .map(outcome -> Screen.count(outcome.getValue()) + " " + outcome.getKey().name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", ")));
    screen.result(
        "retries",
        "%d requests sent again, %d of them called undecided, by clients that changed replica %d times; %d came twice"
            .formatted(
                clients.stream().mapToLong(Report.Progress::resent).sum(),
                clients.stream().mapToLong(Report.Progress::undecided).sum(),
                clients.stream().mapToLong(Report.Progress::moves).sum(),
                executedBefore));
    double seconds = (lastAnswerNanos - firstAnswerNanos) / 1e9;
    long[] waits = audit.waits();
    screen.result(
        "throughput",
        "%s transactions per second, all that happened included"
            .formatted(Screen.count((long) (waits.length / seconds))));
    screen.result(
        "longest gap", "%.2f s without an acknowledged transaction".formatted(audit.longestGapMicros() / 1e6));
    screen.result(
        "latency", "p50 %s, p99 %s, longest %s".formatted(millis(waits, 0.50), millis(waits, 0.99), millis(waits, 1)));
    screen.result(
        "balances",
        "%s accounts, together %s cents: accepted deposits - accepted withdrawals"
            .formatted(Screen.count(audit.accounts()), Screen.count(audit.expectedSum())));
    findings.addAll(audit.findings());
    findings.forEach(finding -> screen.result("finding", finding));
    screen.result(
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
