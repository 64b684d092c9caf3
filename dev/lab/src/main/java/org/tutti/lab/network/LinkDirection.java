package org.tutti.lab.network;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// One direction between two nodes. Settings are changed by any thread; everything else belongs to the switchboard's.
final class LinkDirection {
  /// What becomes of a frame that is lost.
  static final long LOST = Long.MIN_VALUE;

  final int from;
  final int to;
  private final SplittableRandom random;
  private volatile Conditions conditions = Conditions.PERFECT;
  private volatile boolean cut;
  private volatile int cuts;
  private volatile @Nullable Reset reset;
  private long lastDueNanos = Long.MIN_VALUE;
  private volatile long frames;
  private volatile long lost;
  private volatile long resets;

  LinkDirection(int from, int to, long seed) {
    this.from = from;
    this.to = to;
    this.random = new SplittableRandom(seed * 31 + from * 1009L + to);
  }

  void set(Conditions value) {
    conditions = value;
  }

  /// Cuts it, which also loses what is under way, or joins it again.
  void cut(boolean value) {
    if (value && !cut) {
      cuts++;
    }
    cut = value;
  }

  boolean isCut() {
    return cut;
  }

  /// Has each TCP connection reset whose frames come by soon.
  void reset(Reset request) {
    reset = request;
  }

  /// The reset that is under way.
  @Nullable Reset reset(long nowNanos) {
    Reset request = reset;
    if (request != null && request.isOver(nowNanos)) {
      reset = null;
      return null;
    }
    return request;
  }

  /// Decides about a frame.
  ///
  /// @return when it is due, in the order of the frames, or [#LOST]
  long offer(long nowNanos) {
    frames++;
    Conditions now = conditions;
    if (cut || now.loss() > 0 && random.nextDouble() < now.loss()) {
      lost++;
      return LOST;
    }
    long due = nowNanos + now.delay().toNanos();
    if (!now.jitter().isZero()) {
      due += (long) ((2 * random.nextDouble() - 1) * now.jitter().toNanos());
    }
    lastDueNanos = Math.max(lastDueNanos, due);
    return lastDueNanos;
  }

  /// Which uninterrupted time the way is in.
  int era() {
    return cuts;
  }

  /// Whether a frame that was sent in an era still arrives.
  boolean brings(int era) {
    boolean arrives = !cut && era == cuts;
    if (!arrives) {
      lost++;
    }
    return arrives;
  }

  long frames() {
    return frames;
  }

  /// A connection was reset.
  void struck() {
    resets++;
  }

  long resets() {
    return resets;
  }

  long lost() {
    return lost;
  }
}
