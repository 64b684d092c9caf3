package org.tutti.bench.member;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.tutti.Group;

/// Messages come at a fixed rate, whatever the group does, to one member, who multicasts them.
///
/// Times count from when a message was due, so a group that falls behind is seen to (no coordinated omission). Waiting
/// for that moment ends some 40 microseconds late, although the thread asks for the least timer slack, and what has
/// become due is then sent together; a thread that spins would be exact, and take a core from what is measured.
public final class OpenLoop {
  private static final long SECOND = 1_000_000_000L;
  private static final String TIMER_SLACK_NANOS = "1000";

  private OpenLoop() {}

  /// Runs for a time.
  ///
  /// @param sender    who multicasts
  /// @param bytes     the length of each message
  /// @param perSecond the rate
  /// @param forNanos  how long
  /// @return the times from when a message was due until its sender delivered it, in nanoseconds
  /// @throws InterruptedException when interrupted
  public static Histogram run(Group sender, int bytes, int perSecond, long forNanos) throws InterruptedException {
    Histogram times = Times.empty(); // of the engine thread, until the last future is complete
    byte[] payload = new byte[bytes];
    long messages = Math.max(1, (long) (forNanos * (double) perSecond / SECOND));
    CompletableFuture<?> last = CompletableFuture.completedFuture(null); // futures complete in order
    askForLeastTimerSlack();
    long start = System.nanoTime();
    for (long i = 0; i < messages; i++) {
      long due = start + (long) (i * ((double) SECOND / perSecond));
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      last = sender.multicast(payload).thenRun(() -> Times.record(times, System.nanoTime() - due));
    }
    last.join();
    return times;
  }

  /// Asks for the least lateness, for the calling thread: Linux may wake it up 50 microseconds late unless it asks for
  /// less.
  static void askForLeastTimerSlack() {
    try {
      Path thread = Path.of("/proc/thread-self").toRealPath().getFileName();
      Files.writeString(
          Path.of("/proc").resolve(thread).resolve("timerslack_ns"), TIMER_SLACK_NANOS, StandardOpenOption.WRITE);
    } catch (IOException _) {
      // No such file, or not allowed: it stays as late as it was, and that counts.
    }
  }
}
