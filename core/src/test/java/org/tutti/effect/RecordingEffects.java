package org.tutti.effect;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.tutti.MemberId;

/// Keeps what a protocol does as data.
public final class RecordingEffects<M> implements Effects<M> {
  /// What a protocol did.
  public sealed interface Effect<M> {
    record Sent<M>(MemberId to, M message) implements Effect<M> {}

    record Broadcast<M>(M message) implements Effect<M> {}

    record Scheduled<M>(Effects.Timer timer, Duration after) implements Effect<M> {}

    record Cancelled<M>(Effects.Timer timer) implements Effect<M> {}
  }

  /// The time of the next steps.
  public long now;

  private final RandomGenerator random = new SplittableRandom(1);
  private final List<Effect<M>> done = new ArrayList<>();

  /// What was done since the last call.
  public List<Effect<M>> take() {
    List<Effect<M>> taken = List.copyOf(done);
    done.clear();
    return taken;
  }

  @Override
  public void send(MemberId to, M message) {
    done.add(new Effect.Sent<>(to, message));
  }

  @Override
  public void broadcast(M message) {
    done.add(new Effect.Broadcast<>(message));
  }

  @Override
  public void schedule(Effects.Timer timer, Duration after) {
    done.add(new Effect.Scheduled<>(timer, after));
  }

  @Override
  public void cancel(Effects.Timer timer) {
    done.add(new Effect.Cancelled<>(timer));
  }

  @Override
  public long nowNanos() {
    return now;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }
}
