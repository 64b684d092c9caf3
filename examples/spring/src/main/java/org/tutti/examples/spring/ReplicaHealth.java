package org.tutti.examples.spring;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;
import org.tutti.replica.Replica;

/// Whether this replica serves: part of the readiness. A replica that waits for a quorum is not ready, and lives.
@Component("replica")
class ReplicaHealth implements HealthIndicator {
  private final SeatReplica seats;

  ReplicaHealth(SeatReplica seats) {
    this.seats = seats;
  }

  @Override
  public Health health() {
    if (!seats.isRunning()) {
      return Health.outOfService().build();
    }
    Replica replica = seats.replica();
    Health.Builder health = replica.isServing() ? Health.up() : Health.outOfService();
    return health.withDetail("status", replica.status().toString()).build();
  }
}
