package org.tutti.bench;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/// How long frames travel, and the one thread that wakes receivers up when a frame has come that far.
final class Distance implements AutoCloseable {
  private record Bell(long atNanos, Runnable ring) {}

  private final Duration travel;
  private final LinkedBlockingQueue<Bell> bells = new LinkedBlockingQueue<>(); // all frames travel equally long
  private final Thread thread;

  Distance(Duration travel) {
    this.travel = travel;
    this.thread = Thread.ofPlatform().name("distance").daemon().start(this::run);
  }

  /// When something that begins to travel now will be there.
  long dueNanos() {
    return System.nanoTime() + travel.toNanos();
  }

  void ring(long atNanos, Runnable ring) {
    bells.add(new Bell(atNanos, ring));
  }

  private void run() {
    try {
      while (true) {
        Bell next = bells.take();
        for (long wait = next.atNanos - System.nanoTime(); wait > 0; wait = next.atNanos - System.nanoTime()) {
          LockSupport.parkNanos(wait);
          if (Thread.interrupted()) {
            return;
          }
        }
        next.ring.run();
      }
    } catch (InterruptedException closed) {
      // Nobody waits for frames any more.
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
