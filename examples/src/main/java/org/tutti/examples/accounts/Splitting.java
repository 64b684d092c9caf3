package org.tutti.examples.accounts;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.tutti.replica.CallTimeoutException;
import org.tutti.replica.Client;
import org.tutti.replica.Read;

/// The network between the replicas is cut into a minority and a majority, and mended. Clients reach all replicas all
/// the time; what they try at the minority must not be acknowledged, and the majority must go on.
final class Splitting {
  private static final Duration CALL_MAX = Duration.ofSeconds(1);
  private static final double SECONDS_MIN = 4; // a cut that lasts for several times of suspicion

  private final Scenario.Split scenario;
  private final ReplicaSet replicaSet;
  private final DemoLog demoLog;
  private final Relay relay;

  Splitting(Scenario.Split scenario, ReplicaSet replicaSet, DemoLog demoLog, Relay relay) {
    this.scenario = scenario;
    this.replicaSet = replicaSet;
    this.demoLog = demoLog;
    this.relay = relay;
  }

  void play() throws InterruptedException, Fleet.Broken, IOException {
    replicaSet.awaitAnswers(replicaSet.rate());
    List<ChildProcess> all = replicaSet.bySeniority();
    int fewer = (all.size() - 1) / 2;
    List<ChildProcess> minority =
        scenario.sequencer() ? all.subList(0, fewer) : all.subList(all.size() - fewer, all.size());
    List<ChildProcess> majority = all.stream().filter(child -> !minority.contains(child)).toList();
    long cutNanos = System.nanoTime();
    relay.cut(minority.stream().map(replicaSet::memberAddress).collect(Collectors.toSet()), scenario.reject());
    demoLog.event(
        "cut the network: %s | %s (%s)"
            .formatted(
                names(minority),
                names(majority),
                scenario.reject() ? "connections between them break" : "nothing arrives, connections stay open"));
    endure(minority, majority, cutNanos);
    merge(all, minority);
  }

  private void endure(List<ChildProcess> minority, List<ChildProcess> majority, long cutNanos)
      throws InterruptedException, Fleet.Broken {
    replicaSet.await(
        "the majority's view", () -> majority.stream().allMatch(child -> isIn(child, true, majority.size())));
    replicaSet.await(
        "the minority to turn clients away",
        () -> minority.stream().allMatch(child -> isIn(child, false, minority.size()) && !ReplicaSet.serves(child)));
    replicaSet.ask();
    List<Long> stoodAt = minority.stream().map(child -> ReplicaSet.status(child).next()).toList();
    long answeredBefore = replicaSet.answered();
    long startNanos = System.nanoTime();
    minority.forEach(this::tryToCall);
    replicaSet.await(
        "the majority to go on",
        () -> replicaSet.answered() - answeredBefore >= replicaSet.rate() && secondsSince(cutNanos) >= SECONDS_MIN);
    replicaSet.ask();
    demoLog.expect(
        minority.stream().map(child -> ReplicaSet.status(child).next()).toList().equals(stoodAt),
        "the minority executed something while it was cut off");
    long answered = replicaSet.answered() - answeredBefore;
    long perSecond = (long) (answered / secondsSince(startNanos));
    demoLog.result(
        "split",
        ("%s marked the view as not primary %.2f s after the cut and executed nothing;"
                + " %s had theirs after %.2f s and went on with %s transactions per second")
            .formatted(
                names(minority),
                secondsUntilView(cutNanos, minority),
                names(majority),
                secondsUntilView(cutNanos, majority),
                ProgressDisplay.count(perSecond)));
  }

  /// A client that knows of the minority only is answered by nobody.
  private void tryToCall(ChildProcess replica) {
    String at = replicaSet.clientPort(replica);
    try (Client client = Client.of(AccountReplica.SERVICE).at(at).deadline(CALL_MAX).connect()) {
      client.query(ByteBuffer.wrap("alice".getBytes(StandardCharsets.UTF_8)), Read.LINEARIZABLE).get();
      demoLog.expect(false, replica.name + " serves clients although it is cut off");
    } catch (ExecutionException e) {
      demoLog.expect(e.getCause() instanceof CallTimeoutException, replica.name + ": " + e.getCause());
      demoLog.event(replica.name + " turns clients away");
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void merge(List<ChildProcess> all, List<ChildProcess> minority) throws InterruptedException, Fleet.Broken {
    demoLog.event("mended the network");
    minority.forEach(child -> child.absentSince("the network was mended"));
    long mendedNanos = System.nanoTime();
    relay.mend();
    replicaSet.await("one view of all", () -> all.stream().allMatch(child -> isIn(child, true, all.size())));
    for (ChildProcess child : minority) {
      replicaSet.awaitService(child);
    }
    double servedSeconds = secondsSince(mendedNanos);
    demoLog.result(
        "merge",
        "one view of all %.2f s after mending, all replicas serve after %.2f s"
            .formatted(secondsUntilView(mendedNanos, all), servedSeconds));
    replicaSet.awaitAnswers(replicaSet.rate());
  }

  private static boolean isIn(ChildProcess replica, boolean primary, int size) {
    return replica.last(StatusLine.Installed.class) instanceof StatusLine.Installed view
        && view.primary() == primary
        && view.members().size() == size;
  }

  /// How long it took until the last of them had installed its view.
  private static double secondsUntilView(long sinceNanos, List<ChildProcess> replicas) {
    return replicas.stream()
            .mapToLong(child -> child.lastNanos(StatusLine.Installed.class) - sinceNanos)
            .max()
            .orElse(0)
        / 1e9;
  }

  private static String names(List<ChildProcess> replicas) {
    return replicas.stream().map(child -> child.name).collect(Collectors.joining(" "));
  }

  private static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }
}
