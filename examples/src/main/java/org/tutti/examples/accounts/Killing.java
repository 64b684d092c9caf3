package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.List;

/// When a third is answered, the sequencer and perhaps the next in line are killed with SIGKILL, all at once. Until
/// then the clients send two thirds at most. When two thirds are answered the killed are started again: new
/// incarnations that know nothing and get the state.
final class Killing {
  private final Scenario.Kill scenario;
  private final Ensemble ensemble;
  private final Chronicle chronicle;

  Killing(Scenario.Kill scenario, Ensemble ensemble, Chronicle chronicle) {
    this.scenario = scenario;
    this.ensemble = ensemble;
    this.chronicle = chronicle;
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    ensemble.await("a third of the transactions", () -> ensemble.answered() * 3 >= ensemble.transactions());
    List<Child> victims = ensemble.bySeniority().subList(0, scenario.kill());
    for (int rank = 0; rank < victims.size(); rank++) {
      chronicle.killed(victims.get(rank).name, rank == 0 ? "the sequencer" : "of rank " + rank);
    }
    ensemble.kill(victims);
    ensemble.goOn();
    ensemble.await("two thirds of the transactions", () -> ensemble.answered() * 3 >= ensemble.transactions() * 2L);
    if (scenario.duringTransfer()) {
      killDuringTransfer(Ensemble.index(victims.getFirst()));
    }
    for (Child victim : victims) {
      ensemble.join(Ensemble.index(victim));
      chronicle.event("started " + victim.name + " again");
    }
  }

  /// Kills a replica at the first bytes of its state. Whether it really had not got all of it is known afterwards, from
  /// what it said before its end; should it have been too quick, it is tried again.
  private void killDuringTransfer(int index) throws IOException, InterruptedException, Fleet.Broken {
    Child child;
    do {
      child = ensemble.join(index);
      chronicle.event("started " + child.name + " again, to be killed while it receives the state");
      Child doomed = child;
      ensemble.await("the state transfer to begin", () -> doomed.last(Report.Receiving.class) != null);
      chronicle.killed(child.name, "while it received the state");
      ensemble.kill(List.of(child));
    } while (child.last(Report.Received.class) != null);
  }
}
