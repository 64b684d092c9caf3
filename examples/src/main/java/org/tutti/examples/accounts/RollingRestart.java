package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.List;

/// Every replica is restarted, one after another, each when the one before serves again: the oldest one first, so that
/// each time it is the sequencer that goes. It comes back as a newcomer that gets the state.
final class RollingRestart {
  private final Scenario.Rolling scenario;
  private final Ensemble ensemble;
  private final Chronicle chronicle;

  RollingRestart(Scenario.Rolling scenario, Ensemble ensemble, Chronicle chronicle) {
    this.scenario = scenario;
    this.ensemble = ensemble;
    this.chronicle = chronicle;
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    ensemble.awaitAnswers(ensemble.rate());
    long startNanos = System.nanoTime();
    List<Child> replicas = ensemble.bySeniority();
    for (Child replica : replicas) {
      if (scenario.kill()) {
        chronicle.killed(replica.name, "the sequencer");
        ensemble.kill(List.of(replica));
      } else {
        chronicle.event(replica.name + " leaves");
        ensemble.leave(replica);
      }
      Child again = ensemble.join(Ensemble.index(replica));
      chronicle.event("started " + replica.name + " again");
      ensemble.awaitService(again);
    }
    chronicle.result(
        "restarts",
        "all %d replicas %s and back within %.1f s"
            .formatted(replicas.size(), scenario.kill() ? "killed" : "gone", (System.nanoTime() - startNanos) / 1e9));
    ensemble.awaitAnswers(ensemble.rate());
  }
}
