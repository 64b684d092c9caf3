package org.tutti.sim.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.tutti.sim.check.Happening.Decided;
import org.tutti.sim.check.Happening.Released;
import org.tutti.sim.check.Happening.Submitted;

/// Room in the window is given back for whole multicasts in their order, and only for such as are delivered.
///
/// @param overhead what a message counts beyond its length
public record WindowRespected(int overhead) implements Checker {
  private static final class Window {
    final Deque<Integer> lengths = new ArrayDeque<>(); // not released yet
    long decided; // minus those released
  }

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    List<Window> windows = new ArrayList<>();
    history.members().forEach(_ -> windows.add(new Window()));
    for (Happening happening : history.happenings()) {
      Window window = windows.get(happening.member());
      switch (happening) {
        case Submitted submitted -> window.lengths.add(submitted.length());
        case Decided decided -> window.decided += decided.messages();
        case Released released -> release(history, released, window, report);
        default -> {}
      }
    }
  }

  private void release(History history, Released released, Window window, Consumer<String> report) {
    long cost = released.cost();
    while (cost > 0 && !window.lengths.isEmpty()) {
      cost -= window.lengths.remove() + overhead;
      window.decided--;
    }
    if (cost != 0) {
      report.accept(history.name(released.member()) + " was given back " + released.cost() + ", not whole multicasts");
    }
    if (window.decided < 0) {
      report.accept(history.name(released.member()) + " was given back room for what is not delivered yet");
    }
  }
}
