package org.tutti.membership;

import java.time.Duration;
import org.tutti.effect.Effects;

/// How long a proposer that was refused waits: a random time, so that two do not outbid each other for ever.
final class Backoff {
  private static final int TICKS_MAX = 6;

  private final long tickNanos;
  private final Effects<?> effects;
  private long until = Long.MIN_VALUE;

  Backoff(Duration tick, Effects<?> effects) {
    this.tickNanos = tick.toNanos();
    this.effects = effects;
  }

  void begin() {
    until = effects.nowNanos() + effects.random().nextInt(TICKS_MAX) * tickNanos;
  }

  boolean isOn() {
    return effects.nowNanos() < until;
  }
}
