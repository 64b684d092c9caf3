package org.tutti.examples.accounts;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.util.List;
import java.util.stream.Collectors;

/// The network between the replicas is cut into a minority and a majority, and mended. Clients reach all replicas all
/// the time; what they try at the minority must not be acknowledged, and the majority must go on.
final class Splitting {
  private static final int CONNECT_MILLIS_MAX = 2000;
  private static final double SECONDS_MIN = 4; // a cut that lasts for several times of suspicion

  private final Scenario.Split scenario;
  private final Ensemble ensemble;
  private final Chronicle chronicle;
  private final Relay relay;

  Splitting(Scenario.Split scenario, Ensemble ensemble, Chronicle chronicle, Relay relay) {
    this.scenario = scenario;
    this.ensemble = ensemble;
    this.chronicle = chronicle;
    this.relay = relay;
  }

  void play() throws InterruptedException, Fleet.Broken, IOException {
    ensemble.awaitAnswers(ensemble.rate());
    List<Child> all = ensemble.bySeniority();
    int fewer = (all.size() - 1) / 2;
    List<Child> minority = scenario.sequencer() ? all.subList(0, fewer) : all.subList(all.size() - fewer, all.size());
    List<Child> majority = all.stream().filter(child -> !minority.contains(child)).toList();
    long cutNanos = System.nanoTime();
    relay.cut(minority.stream().map(ensemble::memberAddress).collect(Collectors.toSet()), scenario.reject());
    chronicle.event(
        "cut the network: %s | %s (%s)"
            .formatted(
                names(minority),
                names(majority),
                scenario.reject() ? "connections between them break" : "nothing arrives, connections stay open"));
    endure(minority, majority, cutNanos);
    merge(all, minority);
  }

  private void endure(List<Child> minority, List<Child> majority, long cutNanos)
      throws InterruptedException, Fleet.Broken {
    ensemble.await(
        "the majority's view", () -> majority.stream().allMatch(child -> isIn(child, true, majority.size())));
    ensemble.await(
        "the minority to turn clients away",
        () -> minority.stream().allMatch(child -> isIn(child, false, minority.size()) && !Ensemble.serves(child)));
    ensemble.ask();
    List<Long> stoodAt = minority.stream().map(child -> Ensemble.status(child).next()).toList();
    long answeredBefore = ensemble.answered();
    long startNanos = System.nanoTime();
    minority.forEach(this::tryToConnect);
    ensemble.await(
        "the majority to go on",
        () -> ensemble.answered() - answeredBefore >= ensemble.rate() && secondsSince(cutNanos) >= SECONDS_MIN);
    ensemble.ask();
    chronicle.expect(
        minority.stream().map(child -> Ensemble.status(child).next()).toList().equals(stoodAt),
        "the minority executed something while it was cut off");
    long answered = ensemble.answered() - answeredBefore;
    long perSecond = (long) (answered / secondsSince(startNanos));
    long undecided = minority.stream().mapToLong(child -> Ensemble.status(child).undecided()).sum();
    chronicle.event("%s requests are undecided at %s".formatted(Screen.count(undecided), names(minority)));
    chronicle.result(
        "split",
        ("%s marked the view as not primary %.2f s after the cut and executed nothing;"
                + " %s had theirs after %.2f s and went on with %s transactions per second")
            .formatted(
                names(minority),
                secondsUntilView(cutNanos, minority),
                names(majority),
                secondsUntilView(cutNanos, majority),
                Screen.count(perSecond)));
  }

  /// A client of the minority finds nobody.
  private void tryToConnect(Child replica) {
    try (var socket = new Socket()) {
      socket.connect(ensemble.clientPort(replica), CONNECT_MILLIS_MAX);
      chronicle.expect(false, replica.name + " serves clients although it is cut off");
    } catch (ConnectException _) {
      chronicle.event(replica.name + " turns clients away");
    } catch (IOException e) {
      chronicle.expect(false, replica.name + ": " + e.getMessage());
    }
  }

  private void merge(List<Child> all, List<Child> minority) throws InterruptedException, Fleet.Broken {
    chronicle.event("mended the network");
    minority.forEach(child -> child.absentSince("the network was mended"));
    long mendedNanos = System.nanoTime();
    relay.mend();
    ensemble.await("one view of all", () -> all.stream().allMatch(child -> isIn(child, true, all.size())));
    for (Child child : minority) {
      ensemble.awaitService(child);
    }
    double servedSeconds = secondsSince(mendedNanos);
    ensemble.await("the undecided requests to be decided", () -> minority.stream().allMatch(Splitting::knowsAllFates));
    long decided = minority.stream().mapToLong(child -> Ensemble.status(child).decided()).sum();
    chronicle.event("the fate of %s undecided requests is known".formatted(Screen.count(decided)));
    chronicle.result(
        "merge",
        "one view of all %.2f s after mending, all replicas serve after %.2f s; %s undecided requests are decided"
            .formatted(secondsUntilView(mendedNanos, all), servedSeconds, Screen.count(decided)));
    ensemble.awaitAnswers(ensemble.rate());
  }

  private static boolean knowsAllFates(Child replica) {
    return replica.last(Report.Status.class) instanceof Report.Status status && status.undecided() == status.decided();
  }

  private static boolean isIn(Child replica, boolean primary, int size) {
    return replica.last(Report.Installed.class) instanceof Report.Installed view
        && view.primary() == primary
        && view.members().size() == size;
  }

  /// How long it took until the last of them had installed its view.
  private static double secondsUntilView(long sinceNanos, List<Child> replicas) {
    return replicas.stream().mapToLong(child -> child.lastNanos(Report.Installed.class) - sinceNanos).max().orElse(0)
        / 1e9;
  }

  private static String names(List<Child> replicas) {
    return replicas.stream().map(child -> child.name).collect(Collectors.joining(" "));
  }

  private static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }
}
