package org.tutti.blocks;

import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.ServiceException;

/// Somebody is told of changes, on a thread of its own, until this or the client is closed. An exception of whoever is
/// told ends it, too.
public final class Watch implements AutoCloseable {
  /// One question that waits, and what is told of its answer.
  interface Step {
    void run() throws InterruptedException;
  }

  private final Thread thread;

  /// Repeats a step.
  Watch(String name, Step step) {
    this.thread = Thread.ofVirtual().name("watch-" + name).start(() -> repeat(step));
  }

  private static void repeat(Step step) {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        step.run();
      } catch (CallTimeoutException _) {
        // It is asked again.
      } catch (ServiceException | InterruptedException _) {
        return;
      }
    }
  }

  /// Ends it. What is being told is told to its end, unless it waits for something.
  @Override
  public void close() {
    thread.interrupt();
  }
}
