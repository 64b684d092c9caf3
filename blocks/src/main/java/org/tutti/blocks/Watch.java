package org.tutti.blocks;

import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.ServiceException;

/// Somebody is told of changes, on a thread of its own, until this or the client is closed. An exception of whoever is
/// told ends it, too.
public final class Watch implements AutoCloseable {
  /// One question that waits, and what is told of its answer.
  interface Step {
    /// @param watch whether somebody still wants to be told, by [#check]
    void run(Watch watch) throws InterruptedException;
  }

  private final Thread thread;
  private volatile boolean closed;

  /// Repeats a step.
  Watch(String name, Step step) {
    this.thread = Thread.ofVirtual().name("watch-" + name).start(() -> repeat(step));
  }

  private void repeat(Step step) {
    while (!closed) {
      try {
        step.run(this);
      } catch (CallTimeoutException _) {
        // It is asked again.
      } catch (ServiceException | InterruptedException _) {
        return;
      }
    }
  }

  /// Comes before whatever is told. An interrupt alone would come too late for a thread whose answer is there before it
  /// runs.
  void check() throws InterruptedException {
    if (closed) {
      throw new InterruptedException("the watch is closed");
    }
  }

  /// Ends it. What is being told is told to its end, unless it waits for something; nothing else is told any more.
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
