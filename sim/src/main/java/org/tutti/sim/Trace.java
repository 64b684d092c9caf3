package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Every step of a run: always as a hash, and as lines when somebody reads them.
public final class Trace {
  private final Hash hash = new Hash();
  private final @Nullable Consumer<String> lines;
  private final Scheduler scheduler;

  /// Begins.
  ///
  /// @param scheduler knows the time
  /// @param lines     gets the lines, or null when nobody reads them
  public Trace(Scheduler scheduler, @Nullable Consumer<String> lines) {
    this.scheduler = scheduler;
    this.lines = lines;
  }

  /// Whether lines are wanted; if not, spare the work of making them.
  ///
  /// @return whether somebody reads them
  public boolean speaks() {
    return lines != null;
  }

  /// Takes an event of a node into the hash.
  ///
  /// @param node which one
  /// @param kind tells kinds of events apart
  /// @param what a number that tells more
  public void note(int node, int kind, long what) {
    hash.add(scheduler.nowNanos());
    hash.add((long) node << 32 | kind);
    hash.add(what);
  }

  /// Takes a frame into the hash.
  void note(int node, int kind, ByteBuffer frame) {
    note(node, kind, Hash.of(frame));
  }

  /// Takes words into the hash.
  ///
  /// @param words any
  public void note(String words) {
    hash.add(words);
  }

  /// Writes a line; only when [#speaks].
  ///
  /// @param who  the node
  /// @param what the event
  public void say(String who, String what) {
    if (lines != null) {
      lines.accept(String.format(Locale.ROOT, "%12.3fms %-4s %s", scheduler.nowNanos() / 1e6, who, what));
    }
  }

  /// The hash so far.
  ///
  /// @return equal for equal runs
  public long value() {
    return hash.value();
  }
}
