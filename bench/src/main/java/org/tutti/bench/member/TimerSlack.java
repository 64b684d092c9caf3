package org.tutti.bench.member;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// How late Linux may wake a thread up whose time has come: 50 microseconds unless the thread asks for less.
final class TimerSlack {
  private static final String LEAST_NANOS = "1000";

  private TimerSlack() {}

  /// Asks for the least lateness, for the calling thread.
  static void least() {
    try {
      Path thread = Path.of("/proc/thread-self").toRealPath().getFileName();
      Files.writeString(
          Path.of("/proc").resolve(thread).resolve("timerslack_ns"), LEAST_NANOS, StandardOpenOption.WRITE);
    } catch (IOException _) {
      // No such file, or not allowed: it stays as late as it was, and that counts.
    }
  }
}
