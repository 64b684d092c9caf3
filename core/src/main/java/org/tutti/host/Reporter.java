package org.tutti.host;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.tutti.End;
import org.tutti.GroupClosedException;
import org.tutti.MemberId;
import org.tutti.Status.Cause;
import org.tutti.Status.Phase;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.user.Report;

/// What a membership says of itself: its status for any thread, and a line in the log while nothing goes on,
/// whoever holds it up.
final class Reporter {
  private static final System.Logger LOG = System.getLogger("org.tutti.Group");
  private static final long LOG_EVERY_NANOS = 10_000_000_000L; // a standstill of an hour is 360 lines

  private final MemberId self;
  private volatile Report told;
  private volatile long position = -1;
  private long loggedNanos; // of the engine thread
  private boolean logged;

  Reporter(String group, MemberId self) {
    this.self = self;
    this.told = Report.joining(group, self, List.of());
  }

  Report status() {
    Report last = told;
    long next = position;
    return last.phase() == Phase.CAUGHT_UP && next >= 0 ? last.at(next) : last;
  }

  void tell(Report status) {
    if (told.phase() == Phase.CLOSED) {
      return;
    }
    set(status);
    List<Wait> halts = status.waits().stream().filter(wait -> !wait.since().isZero()).toList();
    long now = System.nanoTime();
    if (!halts.isEmpty() && (!logged || now - loggedNanos >= LOG_EVERY_NANOS)) {
      logged = true;
      loggedNanos = now;
      log(Level.WARNING, line(status, halts));
    }
  }

  private synchronized void set(Report status) {
    told = status;
    notifyAll();
  }

  /// Waits until this member serves.
  synchronized View awaitServing(long nanos) throws InterruptedException, TimeoutException {
    long begin = System.nanoTime();
    while (!told.isServing()) {
      if (told.phase() == Phase.CLOSED) {
        throw new GroupClosedException(told.group(), self, String.valueOf(told.closed()));
      }
      long remaining = nanos - (System.nanoTime() - begin);
      if (remaining <= 0) {
        throw new TimeoutException(status().toString());
      }
      TimeUnit.NANOSECONDS.timedWait(this, remaining);
    }
    return Objects.requireNonNull(told.view());
  }

  /// Where the log is written may block, and the engine must not.
  private static void log(Level level, String line) {
    Thread.ofVirtual().name("log").start(() -> LOG.log(level, line));
  }

  private String line(Report status, List<Wait> halts) {
    String start = "group " + status.group() + " at " + self + ": ";
    if (halts.stream().anyMatch(wait -> wait.cause() != Cause.CONSUMPTION)) {
      return start + "no progress: " + status;
    }
    return halts.stream()
        .map(wait ->
            "the application of %s has taken nothing for %.1f s, which takes up %d bytes of this member's window"
                .formatted(wait.members().getFirst(), wait.since().toMillis() / 1000.0, wait.bytes()))
        .collect(Collectors.joining("; ", start, ""));
  }

  void position(long next) {
    position = next;
  }

  void close(End end) {
    set(status().ended(end));
  }
}
