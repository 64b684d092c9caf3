package org.tutti.examples.spring;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.tutti.Node;

/// Whether the node's engine thread turns and the replica is at work: part of the liveness. Whoever restarts
/// applications that are not alive restarts this one when waiting does not help.
@Component("engine")
class EngineHealth implements HealthIndicator {
  private static final long TURN_MILLIS = 2_000; // as `tutti member --health` has it

  private final SeatReplica seats;
  private @Nullable CompletableFuture<Void> asked;

  EngineHealth(SeatReplica seats) {
    this.seats = seats;
  }

  @Override
  public Health health() {
    if (!seats.isRunning()) {
      return Health.up().build(); // it starts, or ends in order
    }
    Throwable ended = seats.replica().ended();
    if (ended != null) {
      return Health.down(ended).build();
    }
    try {
      asked(seats.node()).get(TURN_MILLIS, TimeUnit.MILLISECONDS);
      return Health.up().build();
    } catch (TimeoutException | ExecutionException late) {
      return Health.down(late).build();
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      return Health.unknown().build();
    }
  }

  /// For an engine that does not turn only one thread waits, however often somebody asks here.
  private synchronized CompletableFuture<Void> asked(Node node) {
    CompletableFuture<Void> before = asked;
    if (before == null || before.isDone()) {
      var turn = new CompletableFuture<Void>();
      Thread.ofVirtual()
          .name("engine health")
          .start(() -> {
            try {
              node.metrics(); // waits for a turn of the engine
              turn.complete(null);
            } catch (InterruptedException | RuntimeException e) {
              turn.completeExceptionally(e);
            }
          });
      before = turn;
      asked = before;
    }
    return before;
  }
}
