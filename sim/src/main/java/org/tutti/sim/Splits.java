package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Splits a group again and again, by all shapes in turn: each split lasts until its parts had time for views of their
/// own, or almost, and most of the time the group heals long enough to merge. Members of the smaller side crash in
/// between now and then, and come back.
///
/// All is drawn from a stream of its own, so that other plans stay what they are.
final class Splits {
  private static final int CRASH_ONE_IN = 3;
  private static final int SHORT_ONE_IN = 4; // splits and breaks that end before everybody has taken notice
  private static final int FLAPS_MIN = 4;
  private static final int FLAPS_MAX = 12;

  private final Simulation.Setting setting;
  private final SimulatedCluster cluster;
  private final Network network;
  private final Plan plan;
  private final Scheduler scheduler;
  private final SplittableRandom random;
  private final Runnable mending;
  private final List<SplitShape> shapes = new ArrayList<>();
  private boolean over;

  /// @param mending brings the links back
  Splits(Simulation.Setting setting, SimulatedCluster cluster, Network network, Runnable mending) {
    this.mending = mending;
    this.setting = setting;
    this.cluster = cluster;
    this.network = network;
    this.plan = setting.plan();
    this.scheduler = setting.scheduler();
    this.random = setting.streams().open(Streams.Purpose.SPLIT, 1);
  }

  void begin() {
    for (SplitShape shape : SplitShape.values()) {
      if (plan.nodes() >= shape.nodesMin() && plan.has(shape.kind())) {
        shapes.add(shape);
      }
    }
    if (!shapes.isEmpty()) {
      scheduler.after(units(1, 4), this::strike);
    }
  }

  void end() {
    over = true;
  }

  /// A time in units of the time of suspicion.
  private long units(double min, double max) {
    return (long) (plan.suspectNanos() * random.nextDouble(min, max));
  }

  /// How long views take, mostly.
  private long spell() {
    return random.nextInt(SHORT_ONE_IN) == 0 ? units(0.1, 1.5) : units(1.5, 5);
  }

  private void strike() {
    if (over) {
      return;
    }
    SplitShape shape = shapes.get(random.nextInt(shapes.size()));
    setting.tally().fault(shape.kind());
    setting.tally().split(shape, scheduler.nowNanos());
    if (setting.trace().speaks()) {
      setting.trace().say("--", "split: " + shape.words());
    }
    int nodes = plan.nodes();
    var cut = new NetworkCut(nodes, random);
    int fewer = nodes < 3 ? 1 : random.nextInt(1, (nodes + 1) / 2); // less than half
    int some = random.nextInt(1, nodes);
    crashSome(cut.first(shape == SplitShape.HALVES ? nodes / 2 : fewer));
    switch (shape) {
      case HALVES -> holdOnce(cut.parts(nodes / 2));
      case MINORITY -> holdOnce(cut.parts(fewer));
      case ISOLATED -> holdOnce(cut.parts(1));
      case EVERYONE_ALONE -> holdOnce(cut.all());
      case ONE_WAY -> holdOnce(cut.oneWay(some));
      case BRIDGE -> holdOnce(cut.bridge(random.nextInt(1, nodes - 1)));
      case RING -> holdOnce(cut.ring());
      case FLAPPING -> flap(cut.parts(some), units(0.05, 1.2), 2 * random.nextInt(FLAPS_MIN, FLAPS_MAX) - 1);
      case NESTED -> {
        int first = random.nextInt(1, nodes - 1);
        int second = random.nextInt(first + 1, nodes);
        boolean[][] outer = random.nextBoolean() ? cut.parts(first) : cut.parts(second);
        boolean healsInside = random.nextBoolean(); // the inner split ends before the outer one
        hold(outer, () -> hold(cut.parts(first, second), healsInside ? () -> holdOnce(outer) : this::heal));
      }
      case DURING_MERGE -> hold(cut.parts(some), () -> healUntilMerge(new NetworkCut(nodes, random).parts(some)));
    }
  }

  private void holdOnce(boolean[][] cut) {
    hold(cut, this::heal);
  }

  private void hold(boolean[][] cut, Runnable then) {
    if (!over) {
      network.partition(cut);
      scheduler.after(spell(), then);
    }
  }

  private void heal() {
    if (!over) {
      mend();
      scheduler.after(spell(), this::strike);
    }
  }

  private void mend() {
    mending.run();
    if (setting.trace().speaks()) {
      setting.trace().say("--", "split ends");
    }
  }

  /// The merge is announced, or nobody wanted one: then the next split comes as ever.
  private void healUntilMerge(boolean[][] next) {
    if (!over) {
      mend();
      var struck = new boolean[1];
      cluster.atAnnouncement(_ -> {
        if (!over && !struck[0]) {
          struck[0] = true;
          hold(next, this::heal);
        }
      });
      scheduler.after(
          units(4, 6),
          () -> {
            if (!struck[0]) {
              struck[0] = true;
              strike();
            }
          });
    }
  }

  private void flap(boolean[][] cut, long period, int left) {
    if (!over) {
      network.partition(left % 2 == 1 ? cut : null);
      scheduler.after(period, left == 0 ? this::heal : () -> flap(cut, period, left - 1));
    }
  }

  /// Some of the smaller side crash while they are apart, if the group can spare them, and come back.
  private void crashSome(List<Integer> side) {
    if (plan.has(FaultKind.CRASH) && random.nextInt(CRASH_ONE_IN) == 0) {
      int number = random.nextInt(1, side.size() + 1);
      for (int place : side.subList(0, number)) {
        long moment = units(0.1, 3);
        long away = units(0.2, 5);
        scheduler.after(moment, () -> crash(place, away));
      }
    }
  }

  private void crash(int place, long away) {
    for (SimulatedNode node : cluster.living()) {
      if (!over && node.number == place && cluster.maySpare(node)) {
        setting.tally().fault(FaultKind.CRASH);
        cluster.crash(node);
        scheduler.after(away, () -> restart(place));
      }
    }
  }

  private void restart(int place) {
    if (!over && plan.has(FaultKind.RESTART) && cluster.emptyPlaces().contains(place)) {
      setting.tally().fault(FaultKind.RESTART);
      cluster.restart(place);
    }
  }

  /// Which node cannot send to which, by shape, over nodes in an order drawn at random.
  private static final class NetworkCut {
    private final int nodes;
    private final int[] order;

    NetworkCut(int nodes, SplittableRandom random) {
      this.nodes = nodes;
      this.order = new int[nodes];
      for (int i = 0; i < nodes; i++) {
        int other = random.nextInt(i + 1);
        order[i] = order[other];
        order[other] = i;
      }
    }

    /// The first nodes in this order.
    List<Integer> first(int some) {
      List<Integer> first = new ArrayList<>();
      for (int i = 0; i < some; i++) {
        first.add(order[i]);
      }
      return first;
    }

    /// Parts of consecutive places in this order, which do not reach each other.
    ///
    /// @param ends the places at which a part ends and the next begins, rising
    boolean[][] parts(int... ends) {
      int[] part = new int[nodes];
      for (int place = 0; place < nodes; place++) {
        for (int end : ends) {
          part[order[place]] += place >= end ? 1 : 0;
        }
      }
      var cut = new boolean[nodes][nodes];
      for (int a = 0; a < nodes; a++) {
        for (int b = 0; b < nodes; b++) {
          cut[a][b] = part[a] != part[b];
        }
      }
      return cut;
    }

    /// The first nodes reach the last one, and so do all others, but not each other.
    boolean[][] bridge(int some) {
      boolean[][] cut = parts(some);
      int bridge = order[nodes - 1];
      for (int node = 0; node < nodes; node++) {
        cut[bridge][node] = false;
        cut[node][bridge] = false;
      }
      return cut;
    }

    /// Nodes reach those next to them, the last one the first.
    boolean[][] ring() {
      var cut = new boolean[nodes][nodes];
      for (int a = 0; a < nodes; a++) {
        for (int b = 0; b < nodes; b++) {
          int steps = Math.abs(a - b);
          cut[order[a]][order[b]] = steps > 1 && steps < nodes - 1;
        }
      }
      return cut;
    }

    /// The first nodes hear the others, and are not heard.
    boolean[][] oneWay(int some) {
      boolean[][] cut = parts(some);
      List<Integer> mute = first(some);
      for (int from = 0; from < nodes; from++) {
        if (!mute.contains(from)) {
          cut[from] = new boolean[nodes];
        }
      }
      return cut;
    }

    /// Every node alone.
    boolean[][] all() {
      var ends = new int[nodes - 1];
      for (int i = 0; i < ends.length; i++) {
        ends[i] = i + 1;
      }
      return parts(ends);
    }
  }
}
