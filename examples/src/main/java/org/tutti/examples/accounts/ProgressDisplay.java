package org.tutti.examples.accounts;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/// What a demo shows: lines of events that stay, and below them one line of progress that is overwritten on a terminal
/// and repeated every few seconds elsewhere.
final class ProgressDisplay {
  private static final String CLEAR_LINE = "\r\033[K";
  private static final Duration PLAIN_EVERY = Duration.ofSeconds(3);

  private final PrintStream out;
  private final boolean live;
  private final long startNanos = System.nanoTime();
  private long progressNanos = startNanos;
  private boolean progressShown;

  ProgressDisplay(PrintStream out) {
    this.out = out;
    Console console = System.console();
    live = out == System.out && console != null && console.isTerminal();
  }

  void event(String text) {
    clear();
    out.println("%6.2f s  %s".formatted((System.nanoTime() - startNanos) / 1e9, text));
  }

  void progress(String text) {
    if (live) {
      out.print(CLEAR_LINE + text);
      out.flush();
      progressShown = true;
    } else if (System.nanoTime() - progressNanos > PLAIN_EVERY.toNanos()) {
      progressNanos = System.nanoTime();
      event(text);
    }
  }

  void result(String label, String text) {
    clear();
    out.println("%-14s %s".formatted(label, text));
  }

  private void clear() {
    if (progressShown) {
      out.print(CLEAR_LINE);
      progressShown = false;
    }
  }

  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
