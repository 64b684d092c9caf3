package org.tutti.ipc.protocol;

import java.util.ArrayDeque;

/// What is done at the end of a step, when the state is whole: callers are told, and may call again; messages of a host
/// to itself arrive. What these leave for later is done after them, not within them, so a program that goes on with a
/// call of its own for ever needs no more stack than one.
final class Later {
  private final ArrayDeque<Runnable> actions = new ArrayDeque<>();
  private boolean isRunning;

  void add(Runnable action) {
    actions.add(action);
  }

  /// Does what there is, at the end of the outermost step.
  void run() {
    if (isRunning) {
      return;
    }
    isRunning = true;
    try {
      for (Runnable next = actions.poll(); next != null; next = actions.poll()) {
        next.run();
      }
    } finally {
      isRunning = false;
    }
  }
}
