package org.tutti.bench.trial;

import java.util.ArrayList;
import java.util.List;

/// Threads of this process that use processors and do nothing, as other work on a machine does. They end with it.
final class BusyLoops implements AutoCloseable {
  private final List<Thread> threads = new ArrayList<>();

  /// Begins.
  ///
  /// @param count how many there are
  BusyLoops(int count) {
    for (int number = 0; number < count; number++) {
      Thread thread = new Thread(BusyLoops::loop, "busy-" + number);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  private static void loop() {
    while (!Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
  }
}
