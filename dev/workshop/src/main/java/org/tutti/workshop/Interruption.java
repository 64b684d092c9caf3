package org.tutti.workshop;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Lets Ctrl-C, or another end of the process, interrupt the thread that made this, and waits for what that thread says
/// of what it has done: at most a minute.
///
/// ```java
/// try (var _ = new Interruption()) {
///   report(runUntilInterrupted());
/// }
/// ```
final class Interruption implements AutoCloseable {
  private static final long END_SECONDS_MAX = 60; // for the runs that are under way

  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook;

  Interruption() {
    Thread running = Thread.currentThread();
    hook =
        new Thread(() -> {
          running.interrupt();
          try {
            ended.await(END_SECONDS_MAX, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    Runtime.getRuntime().addShutdownHook(hook);
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      Thread.interrupted(); // the process ends already: it was interrupted
    }
  }
}
