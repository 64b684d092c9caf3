package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The group grows, all newcomers at once, and shrinks, the oldest replica leaving first, the founder among them. Then
/// a replica of a new name at a new address comes and an old one goes for good: a host is replaced.
final class Resizing {
  private final Scenario.Resize scenario;
  private final Ensemble ensemble;
  private final Chronicle chronicle;
  private int started;

  Resizing(Scenario.Resize scenario, Ensemble ensemble, Chronicle chronicle) {
    this.scenario = scenario;
    this.ensemble = ensemble;
    this.chronicle = chronicle;
    started = scenario.replicas();
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    ensemble.awaitAnswers(ensemble.rate());
    for (int size : scenario.sizes().subList(1, scenario.sizes().size())) {
      grow(size - ensemble.replicas().size());
      while (ensemble.replicas().size() > size) {
        shrink();
      }
      awaitView(size);
      chronicle.event(size + " replicas");
      ensemble.awaitAnswers(ensemble.rate());
    }
    int size = ensemble.replicas().size();
    chronicle.event("a host is replaced");
    grow(1);
    shrink();
    awaitView(size);
    chronicle.result("sizes", scenario.sizes() + ", then one replica replaced by a new one");
    ensemble.awaitAnswers(ensemble.rate());
  }

  private void grow(int by) throws IOException, InterruptedException, Fleet.Broken {
    var newcomers = new ArrayList<Child>();
    for (int i = 0; i < by; i++) {
      started++;
      newcomers.add(ensemble.join(started));
      chronicle.event("started " + newcomers.getLast().name);
    }
    for (Child newcomer : newcomers) {
      ensemble.awaitService(newcomer);
    }
  }

  private void shrink() throws InterruptedException, Fleet.Broken {
    Child oldest = ensemble.bySeniority().getFirst();
    chronicle.event(oldest.name + " leaves for good");
    ensemble.leave(oldest);
    ensemble.forget(oldest);
  }

  /// The view of those that are left is installed by all of them.
  private void awaitView(int size) throws InterruptedException, Fleet.Broken {
    List<Child> replicas = ensemble.replicas();
    ensemble.await(
        "a view of " + size,
        () ->
            replicas.stream()
                .allMatch(child ->
                    child.last(Report.Installed.class) instanceof Report.Installed view
                        && view.primary()
                        && view.members().size() == size));
  }
}
