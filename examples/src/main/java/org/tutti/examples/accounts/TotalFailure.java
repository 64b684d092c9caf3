package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// All replicas are killed at once and started again, in an order drawn from the seed, the last one late: the group
/// goes on where it was. Then one replica is down while the others go on, and these are killed too: the one that knows
/// less is told to create the group, alone, and does not; when the others are started it catches up.
final class TotalFailure {
  private static final long ALONE_NANOS = 3_000_000_000L; // long enough to form a view many times over

  private final long seed;
  private final Ensemble ensemble;
  private final Chronicle chronicle;

  TotalFailure(long seed, Ensemble ensemble, Chronicle chronicle) {
    this.seed = seed;
    this.ensemble = ensemble;
    this.chronicle = chronicle;
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    ensemble.awaitAnswers(ensemble.rate());
    killAll();
    restartAll();
    ensemble.awaitAnswers(ensemble.rate());
    refuse();
    ensemble.awaitAnswers(ensemble.rate());
  }

  private void killAll() throws InterruptedException, Fleet.Broken {
    List<Child> living = ensemble.living();
    living.forEach(child -> chronicle.killed(child.name, "all at once"));
    ensemble.kill(living);
  }

  private void restartAll() throws IOException, InterruptedException, Fleet.Broken {
    List<Child> order = new ArrayList<>(ensemble.replicas());
    Collections.shuffle(order, new Random(seed));
    long startNanos = System.nanoTime();
    var early = new ArrayList<Child>();
    for (Child child : order.subList(0, order.size() - 1)) {
      early.add(again(child));
    }
    for (Child child : early) {
      ensemble.awaitService(child);
    }
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    chronicle.result(
        "total failure",
        "%d of %d serve again %.1f s after the first was started".formatted(early.size(), order.size(), seconds));
    ensemble.awaitAnswers(ensemble.rate());
    ensemble.awaitService(again(order.getLast()));
  }

  private Child again(Child child) throws IOException {
    chronicle.event("started " + child.name + " again");
    return ensemble.join(Ensemble.index(child));
  }

  /// Shows that who knows less begins nothing of its own.
  private void refuse() throws IOException, InterruptedException, Fleet.Broken {
    Child behind = ensemble.bySeniority().getLast();
    chronicle.killed(behind.name, "and the others go on");
    ensemble.living().forEach(child -> child.forget(Report.Installed.class));
    ensemble.kill(List.of(behind));
    List<Child> ahead = ensemble.living();
    ensemble.await(
        "the others to go on without " + behind.name, () -> ahead.stream().allMatch(child -> without(child, behind)));
    ensemble.awaitAnswers(ensemble.rate());
    killAll();
    Child alone = ensemble.create(Ensemble.index(behind));
    chronicle.event("started " + alone.name + " alone, to create the group");
    ensemble.await(alone.name + " to wait for others", () -> isWaiting(alone) || isPrimary(alone));
    long untilNanos = System.nanoTime() + ALONE_NANOS;
    ensemble.await("time to pass", () -> System.nanoTime() - untilNanos > 0 || isPrimary(alone));
    chronicle.expect(!isPrimary(alone), alone.name + " began a second history");
    if (alone.last(Report.Waiting.class) instanceof Report.Waiting(String status)) {
      chronicle.result("refusal", alone.name + " alone: " + status);
    }
    for (Child child : ahead) {
      again(child);
    }
    for (Child child : ensemble.replicas()) {
      ensemble.awaitService(child);
    }
  }

  private static boolean isWaiting(Child child) {
    return child.last(Report.Waiting.class) instanceof Report.Waiting(String status) && status.contains("waiting for");
  }

  private static boolean isPrimary(Child child) {
    return child.last(Report.Installed.class) instanceof Report.Installed view && view.primary();
  }

  private static boolean without(Child child, Child gone) {
    return isPrimary(child)
        && child.last(Report.Installed.class) instanceof Report.Installed view
        && !view.members().contains(gone.name);
  }
}
