package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.List;

/// Every replica is restarted, one after another, each when the one before serves again: the oldest one first, so that
/// each time it is the sequencer that goes. It comes back as a newcomer that gets the state.
final class RollingRestart {
  private final Scenario.Rolling scenario;
  private final ReplicaSet replicaSet;
  private final DemoLog demoLog;

  RollingRestart(Scenario.Rolling scenario, ReplicaSet replicaSet, DemoLog demoLog) {
    this.scenario = scenario;
    this.replicaSet = replicaSet;
    this.demoLog = demoLog;
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    replicaSet.awaitAnswers(replicaSet.rate());
    long startNanos = System.nanoTime();
    List<ChildProcess> replicas = replicaSet.bySeniority();
    for (ChildProcess replica : replicas) {
      if (scenario.kill()) {
        demoLog.killed(replica.name, "the sequencer");
        replicaSet.kill(List.of(replica));
      } else {
        demoLog.event(replica.name + " leaves");
        replicaSet.leave(replica);
      }
      ChildProcess again = replicaSet.join(ReplicaSet.index(replica));
      demoLog.event("started " + replica.name + " again");
      replicaSet.awaitService(again);
    }
    demoLog.result(
        "restarts",
        "all %d replicas %s and back within %.1f s"
            .formatted(replicas.size(), scenario.kill() ? "killed" : "gone", (System.nanoTime() - startNanos) / 1e9));
    replicaSet.awaitAnswers(replicaSet.rate());
  }
}
