package org.tutti.peers;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/// How a thread of Aeron that has found nothing to do waits before it looks again: as it is configured to while its
/// process group is measured, and for long while another one is. Aeron polls; without this the process groups that rest
/// would take time from the one that is measured.
final class TurnIdling implements IdleStrategy {
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Turn turn;
  private final IdleStrategy configured;

  TurnIdling(Turn turn, IdleStrategy configured) {
    this.turn = turn;
    this.configured = configured;
  }

  @Override
  public void idle(int workCount) {
    if (workCount > 0) {
      configured.reset();
    } else {
      idle();
    }
  }

  @Override
  public void idle() {
    if (turn.ours) {
      configured.idle();
    } else {
      LockSupport.parkNanos(REST_NANOS);
    }
  }

  @Override
  public void reset() {
    configured.reset();
  }

  /// Whose turn it is, for all threads of a process.
  static final class Turn {
    private volatile boolean ours = true;

    /// Changes it; when it has become ours, all threads are awake afterwards.
    void change(boolean toOurs) {
      boolean waking = toOurs && !ours;
      ours = toOurs;
      if (waking) {
        LockSupport.parkNanos(2 * REST_NANOS);
      }
    }

    boolean isOurs() {
      return ours;
    }
  }
}
