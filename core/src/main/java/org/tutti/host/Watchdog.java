package org.tutti.host;

import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.tutti.engine.EventLoop;

/// Tells when something holds a node's engine thread: a listener, or what is attached to a future. The whole node waits
/// for it, and after a while the others take the node for crashed.
///
/// It looks at the engine thread from outside, now and then, on a thread of its own that lives as long as that one. So
/// the engine thread itself only leaves a mark of what it is at.
public final class Watchdog {
  private static final System.Logger LOG = System.getLogger("org.tutti.Node");

  /// A turn is a stall from here on, when two looks have seen it: a single one could meet any turn, after the whole
  /// process has stood still.
  private static final long STALL_NANOS = 1_000_000_000;

  private static final long PAUSE_MILLIS = 500;

  /// A look that comes so much too late tells of a process that did not run; the shortest time of suspicion that is
  /// usual between machines.
  private static final long LATE_NANOS = 1_000_000_000;

  private static final long PAUSE_IN_STALL_MILLIS = 100; // so precisely the length of a stall is told

  private final String node;
  private final EventLoop loop;
  private EventLoop.@Nullable Turn last; // at the last look
  private boolean told;

  private Watchdog(String node, EventLoop loop) {
    this.node = node;
    this.loop = loop;
  }

  /// Watches an engine thread that runs until it ends.
  ///
  /// @param node the node's name
  /// @param loop runs on that thread
  public static void watch(String node, EventLoop loop) {
    var watchdog = new Watchdog(node, loop);
    Thread.ofVirtual().name("watchdog-" + node).start(watchdog::run);
  }

  private void run() {
    try {
      long asked = told ? PAUSE_IN_STALL_MILLIS : PAUSE_MILLIS;
      long since = System.nanoTime();
      while (!loop.join(asked)) {
        String late = late(node, System.nanoTime() - since - TimeUnit.MILLISECONDS.toNanos(asked));
        if (late != null) {
          LOG.log(Level.WARNING, late);
        }
        look(loop.turn());
        asked = told ? PAUSE_IN_STALL_MILLIS : PAUSE_MILLIS;
        since = System.nanoTime();
      }
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /// What it means that a look comes too late; the engine thread has most likely not run either.
  ///
  /// @param node  the node's name
  /// @param nanos how much too late
  /// @return the line; null when that is usual
  static @Nullable String late(String node, long nanos) {
    String line = "node %s: this process has not run for %s: it was stopped, collected garbage, or had no processor";
    return nanos < LATE_NANOS ? null : line.formatted(node, seconds(nanos));
  }

  private void look(EventLoop.@Nullable Turn now) {
    EventLoop.Turn before = last;
    last = now;
    if (before == null) {
      return;
    }
    boolean same = now != null && now.began() == before.began();
    if (same && !told && now.nanos() >= STALL_NANOS) {
      told = true;
      warn(now);
    } else if (!same && told) {
      told = false;
      FlightEvents.longTurn(node, who(before), before.nanos());
      LOG.log(Level.WARNING, "node %s: the engine thread goes on after %s".formatted(node, seconds(before.nanos())));
    }
  }

  private void warn(EventLoop.Turn stall) {
    var where = new Throwable("here is the engine thread");
    where.setStackTrace(loop.stalled());
    String line =
        "node %s: the engine thread, and so the whole node, has been held up for %s by %s"
            .formatted(node, seconds(stall.nanos()), who(stall));
    LOG.log(Level.WARNING, line, where);
  }

  private static String who(EventLoop.Turn stall) {
    return stall.calling() == null ? "code that is no listener's" : stall.calling();
  }

  private static String seconds(long nanos) {
    return "%.1f s".formatted(nanos / 1e9);
  }
}
