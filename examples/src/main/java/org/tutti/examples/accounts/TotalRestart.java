package org.tutti.examples.accounts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/// All replicas are killed at once and started again, in an order drawn from the seed, the last one late: the group
/// goes on where it was. Then one replica is down while the others go on, and these are killed too: the one that knows
/// less is told to create the group, alone, and does not; when the others are started it catches up.
final class TotalRestart {
  private static final long ALONE_NANOS = 3_000_000_000L; // long enough to form a view many times over

  private final long seed;
  private final ReplicaSet replicaSet;
  private final DemoLog demoLog;

  TotalRestart(long seed, ReplicaSet replicaSet, DemoLog demoLog) {
    this.seed = seed;
    this.replicaSet = replicaSet;
    this.demoLog = demoLog;
  }

  void play() throws IOException, InterruptedException, Fleet.Broken {
    replicaSet.awaitAnswers(replicaSet.rate());
    killAll();
    restartAll();
    replicaSet.awaitAnswers(replicaSet.rate());
    refuse();
    replicaSet.awaitAnswers(replicaSet.rate());
  }

  private void killAll() throws InterruptedException, Fleet.Broken {
    List<ChildProcess> living = replicaSet.living();
    living.forEach(child -> demoLog.killed(child.name, "all at once"));
    replicaSet.kill(living);
  }

  private void restartAll() throws IOException, InterruptedException, Fleet.Broken {
    List<ChildProcess> order = new ArrayList<>(replicaSet.replicas());
    Collections.shuffle(order, new Random(seed));
    long startNanos = System.nanoTime();
    var early = new ArrayList<ChildProcess>();
    for (ChildProcess child : order.subList(0, order.size() - 1)) {
      early.add(again(child));
    }
    for (ChildProcess child : early) {
      replicaSet.awaitService(child);
    }
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    demoLog.result(
        "total failure",
        "%d of %d serve again %.1f s after the first was started".formatted(early.size(), order.size(), seconds));
    replicaSet.awaitAnswers(replicaSet.rate());
    replicaSet.awaitService(again(order.getLast()));
  }

  private ChildProcess again(ChildProcess child) throws IOException {
    demoLog.event("started " + child.name + " again");
    return replicaSet.join(ReplicaSet.index(child));
  }

  /// Shows that who knows less begins nothing of its own.
  private void refuse() throws IOException, InterruptedException, Fleet.Broken {
    ChildProcess behind = replicaSet.bySeniority().getLast();
    demoLog.killed(behind.name, "and the others go on");
    replicaSet.living().forEach(child -> child.forget(StatusLine.Installed.class));
    replicaSet.kill(List.of(behind));
    List<ChildProcess> ahead = replicaSet.living();
    replicaSet.await(
        "the others to go on without " + behind.name, () -> ahead.stream().allMatch(child -> without(child, behind)));
    replicaSet.awaitAnswers(replicaSet.rate());
    killAll();
    ChildProcess alone = replicaSet.create(ReplicaSet.index(behind));
    demoLog.event("started " + alone.name + " alone, to create the group");
    replicaSet.await(alone.name + " to wait for others", () -> isWaiting(alone) || isPrimary(alone));
    long untilNanos = System.nanoTime() + ALONE_NANOS;
    replicaSet.await("time to pass", () -> System.nanoTime() - untilNanos > 0 || isPrimary(alone));
    demoLog.expect(!isPrimary(alone), alone.name + " began a second history");
    if (alone.last(StatusLine.Waiting.class) instanceof StatusLine.Waiting(String status)) {
      demoLog.result("refusal", alone.name + " alone: " + status);
    }
    for (ChildProcess child : ahead) {
      again(child);
    }
    for (ChildProcess child : replicaSet.replicas()) {
      replicaSet.awaitService(child);
    }
  }

  private static boolean isWaiting(ChildProcess child) {
    return child.last(StatusLine.Waiting.class) instanceof StatusLine.Waiting(String status)
        && status.contains("waiting for");
  }

  private static boolean isPrimary(ChildProcess child) {
    return child.last(StatusLine.Installed.class) instanceof StatusLine.Installed view && view.primary();
  }

  private static boolean without(ChildProcess child, ChildProcess gone) {
    return isPrimary(child)
        && child.last(StatusLine.Installed.class) instanceof StatusLine.Installed view
        && !view.members().contains(gone.name);
  }
}
