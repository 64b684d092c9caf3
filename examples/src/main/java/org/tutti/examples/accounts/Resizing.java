package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The group grows, all newcomers at once, and shrinks, the oldest replica leaving first, the founder among them. Then
/// a replica of a new name at a new address comes and an old one goes for good: a host is replaced.
final class Resizing {
  private final Scenario.Resize scenario;
  private final ReplicaSet replicaSet;
  private final DemoLog demoLog;
  private int started;

  Resizing(Scenario.Resize scenario, ReplicaSet replicaSet, DemoLog demoLog) {
    this.scenario = scenario;
    this.replicaSet = replicaSet;
    this.demoLog = demoLog;
    started = scenario.replicas();
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    replicaSet.awaitAnswers(replicaSet.rate());
    for (int size : scenario.sizes().subList(1, scenario.sizes().size())) {
      grow(size - replicaSet.replicas().size());
      while (replicaSet.replicas().size() > size) {
        shrink();
      }
      awaitView(size);
      demoLog.event(size + " replicas");
      replicaSet.awaitAnswers(replicaSet.rate());
    }
    int size = replicaSet.replicas().size();
    demoLog.event("a host is replaced");
    grow(1);
    shrink();
    awaitView(size);
    demoLog.result("sizes", scenario.sizes() + ", then one replica replaced by a new one");
    replicaSet.awaitAnswers(replicaSet.rate());
  }

  private void grow(int by) throws IOException, InterruptedException, Fleet.Broken {
    var newcomers = new ArrayList<ChildProcess>();
    for (int i = 0; i < by; i++) {
      started++;
      newcomers.add(replicaSet.join(started));
      demoLog.event("started " + newcomers.getLast().name);
    }
    for (ChildProcess newcomer : newcomers) {
      replicaSet.awaitService(newcomer);
    }
  }

  private void shrink() throws InterruptedException, Fleet.Broken {
    ChildProcess oldest = replicaSet.bySeniority().getFirst();
    demoLog.event(oldest.name + " leaves for good");
    replicaSet.leave(oldest);
    replicaSet.forget(oldest);
  }

  /// The view of those that are left is installed by all of them.
  private void awaitView(int size) throws InterruptedException, Fleet.Broken {
    List<ChildProcess> replicas = replicaSet.replicas();
    replicaSet.await(
        "a view of " + size,
        () ->
            replicas.stream()
                .allMatch(child ->
                    child.last(StatusLine.Installed.class) instanceof StatusLine.Installed view
                        && view.primary()
                        && view.members().size() == size));
  }
}
