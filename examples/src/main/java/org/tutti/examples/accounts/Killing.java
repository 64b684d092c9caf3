package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.List;

/// When a third is answered, the sequencer and perhaps the next in line are killed with SIGKILL, all at once. Until
/// then the clients send two thirds at most. When two thirds are answered the killed are started again: new
/// incarnations that know nothing and get the state.
final class Killing {
  private final Scenario.Kill scenario;
  private final ReplicaSet replicaSet;
  private final DemoLog demoLog;

  Killing(Scenario.Kill scenario, ReplicaSet replicaSet, DemoLog demoLog) {
    this.scenario = scenario;
    this.replicaSet = replicaSet;
    this.demoLog = demoLog;
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    replicaSet.await("a third of the transactions", () -> replicaSet.answered() * 3 >= replicaSet.transactions());
    List<ChildProcess> victims = replicaSet.bySeniority().subList(0, scenario.kill());
    for (int rank = 0; rank < victims.size(); rank++) {
      demoLog.killed(victims.get(rank).name, rank == 0 ? "the sequencer" : "of rank " + rank);
    }
    replicaSet.kill(victims);
    replicaSet.goOn();
    replicaSet.await(
        "two thirds of the transactions", () -> replicaSet.answered() * 3 >= replicaSet.transactions() * 2L);
    if (scenario.duringTransfer()) {
      killDuringTransfer(ReplicaSet.index(victims.getFirst()));
    }
    for (ChildProcess victim : victims) {
      replicaSet.join(ReplicaSet.index(victim));
      demoLog.event("started " + victim.name + " again");
    }
  }

  /// Kills a replica at the first bytes of its state. Whether it really had not got all of it is known afterwards, from
  /// what it said before its end; should it have been too quick, it is tried again.
  private void killDuringTransfer(int index) throws IOException, InterruptedException, Fleet.Broken {
    ChildProcess child;
    do {
      child = replicaSet.join(index);
      demoLog.event("started " + child.name + " again, to be killed while it receives the state");
      ChildProcess doomed = child;
      replicaSet.await("the state transfer to begin", () -> doomed.last(StatusLine.Receiving.class) != null);
      demoLog.killed(child.name, "while it received the state");
      replicaSet.kill(List.of(child));
    } while (child.last(StatusLine.Received.class) != null);
  }
}
