package org.tutti.examples.spring;

import java.time.Duration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/// Whether the node's engine thread turns and the replica is at work: part of the liveness. Whoever restarts
/// applications that are not alive restarts this one when waiting does not help.
@Component("engine")
class EngineHealth implements HealthIndicator {
  private static final Duration TURN_MAX = Duration.ofSeconds(2); // as `tutti member --health` has it

  private final SeatReplica seats;

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
    return seats.node().isTurning(TURN_MAX)
        ? Health.up().build()
        : Health.down().withDetail("engine", "does not turn").build();
  }
}
