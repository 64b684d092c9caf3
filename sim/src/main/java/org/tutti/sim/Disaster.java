package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.sim.check.Violation;

/// An operator believes that all members but one are lost, and forces that one to be primary ([FaultKind#FORCE]), when
/// all other faults have ended. Some of the others are, for some time or for ever; some live, perhaps cut off, and
/// perhaps are primary; now and then a second operator forces another one, or the same one is forced again.
///
/// What was cut off comes back, who is ended by that begins anew without its disk, and in the end all are to be in the
/// history of the one that was forced. If two were, it is the one that was forced first by the operators' clocks.
final class Disaster {
  private static final int UNITS = 10; // times of suspicion, within which all of it happens
  private static final int SECOND_ONE_IN = 3;
  private static final int AGAIN_ONE_IN = 4;
  private static final int CUT_ONE_IN = 2;
  private static final int WIPED_ONE_IN = 3;
  private static final long MICROS_MAX = 1L << 40;

  private final Simulation.Setting setting;
  private final SimulatedCluster cluster;
  private final Network network;
  private final SplittableRandom random;
  private final double losses; // the share of the others that are lost
  private final List<Integer> forced = new ArrayList<>();
  private int survivor; // who was forced first
  private long survivorAt = Long.MAX_VALUE; // when, by its operator's clock
  private int livesBefore;
  private long end;

  Disaster(Simulation.Setting setting, SimulatedCluster cluster, Network network) {
    this.setting = setting;
    this.cluster = cluster;
    this.network = network;
    this.random = setting.streams().open(Streams.Purpose.FORCE, 1);
    this.losses = setting.plan().strength(FaultKind.FORCE);
  }

  /// Strikes, if somebody can be forced: whether it does.
  boolean strike() {
    if (!setting.plan().has(FaultKind.FORCE)) {
      return false;
    }
    livesBefore = cluster.lives().size();
    List<Integer> places = new ArrayList<>();
    for (int place = 0; place < setting.plan().nodes(); place++) {
      places.add(random.nextInt(places.size() + 1), place);
    }
    List<Integer> others = new ArrayList<>(places);
    for (int place : places) {
      boolean wanted = forced.isEmpty() || forced.size() == 1 && random.nextInt(SECOND_ONE_IN) == 0;
      if (wanted && force(place)) {
        others.remove((Integer) place);
      }
    }
    if (forced.isEmpty()) {
      return false;
    }
    setting.tally().fault(FaultKind.FORCE);
    end = setting.scheduler().nowNanos() + UNITS * setting.plan().suspectNanos();
    if (random.nextInt(CUT_ONE_IN) == 0) {
      network.partition(Shape.isolated(setting.plan().nodes(), forced.getFirst()));
      later(() -> network.partition(null));
    }
    forced.forEach(place -> later(() -> start(place)));
    others.forEach(this::mayBeLost);
    return true;
  }

  private boolean force(int place) {
    end(place);
    if (!cluster.mayForce(place)) {
      return false;
    }
    forced.add(place);
    long at = random.nextLong(MICROS_MAX);
    if (at < survivorAt) {
      survivor = place;
      survivorAt = at;
    }
    cluster.force(place, at);
    if (random.nextInt(AGAIN_ONE_IN) == 0) {
      cluster.force(place, random.nextLong(MICROS_MAX));
    }
    return true;
  }

  /// Ends the process of a place, if there is one.
  private void end(int place) {
    cluster.living().stream().filter(node -> node.number == place).findAny().ifPresent(cluster::crash);
  }

  private void mayBeLost(int place) {
    if (random.nextDouble() < losses) {
      end(place);
      if (cluster.emptyPlaces().contains(place)) {
        later(() -> comeBack(place, random.nextInt(WIPED_ONE_IN) == 0));
      }
    }
  }

  private void later(Runnable action) {
    setting.scheduler().after(random.nextLong(end - setting.scheduler().nowNanos()), action);
  }

  private void start(int place) {
    if (cluster.emptyPlaces().contains(place)) {
      cluster.restart(place);
    }
  }

  private void comeBack(int place, boolean blank) {
    if (cluster.emptyPlaces().contains(place)) {
      if (blank) {
        cluster.wipe(place);
      }
      cluster.restart(place);
    }
  }

  /// When all of it has happened, in simulated time.
  long endNanos() {
    return end;
  }

  /// Whether somebody was forced.
  boolean hasStruck() {
    return !forced.isEmpty();
  }

  /// Who was told that its history is replaced begins anew, as a newcomer, without what it had. Nobody else is.
  void beginAnew() {
    for (int place = 0; place < setting.plan().nodes(); place++) {
      if (cluster.wasOverruled(place)) {
        comeBack(place, true);
      }
    }
  }

  /// Who was forced first is never overruled: not by what it replaced, and not by who was forced later.
  List<Violation> violations() {
    List<Violation> found = new ArrayList<>();
    for (SimulatedApplication life : cluster.lives().subList(hasStruck() ? livesBefore : 0, cluster.lives().size())) {
      if (hasStruck() && life.node.number == survivor && life.wasOverruled()) {
        found.add(new Violation("Forced", life.node.self + " was forced first, and was told: " + life.end()));
      }
    }
    return found;
  }
}
