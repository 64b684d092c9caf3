package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.tutti.View;
import org.tutti.user.Request;

/// Injects the faults that strike links and processes, each kind with its own stream of random numbers. Faults that
/// strike single frames are in [Network].
final class Faults {
  private static final int OCCURRENCES_MAX = 12; // of one kind in one run, at full strength
  private static final double DISK_LOSS_SHARE = 0.25; // of restarts, at least
  private static final double LAG_UNITS_MAX = 0.9; // times the time of suspicion
  private static final double SLOW_HEAL_UNITS_MAX = 8; // as long as a silent connection may wait to send again
  private static final int AT_ONCE_ONE_IN = 4; // of heals where they may be slow

  private final Simulation.Setting setting;
  private final SimulatedCluster cluster;
  private final Network network;
  private final Plan plan;
  private final Scheduler scheduler;
  private final Splits splits;
  private final SplittableRandom disks;
  private final SplittableRandom heals;
  private boolean over;
  private int partitions; // counts them, so that an old one's end does not mend a newer one

  Faults(Simulation.Setting setting, SimulatedCluster cluster, Network network) {
    this.setting = setting;
    this.cluster = cluster;
    this.network = network;
    this.plan = setting.plan();
    this.scheduler = setting.scheduler();
    this.disks = setting.streams().open(Streams.Purpose.FAULT, FaultKind.DISK_LOSS.ordinal());
    this.heals = setting.streams().open(Streams.Purpose.FAULT, FaultKind.SLOW_HEAL.ordinal());
    this.splits = new Splits(setting, cluster, network, this::mend);
  }

  /// Starts all kinds that are on.
  void begin() {
    recurring(FaultKind.REFUSAL, random -> link(random).refuseFor(duration(random, 1)));
    recurring(
        FaultKind.CLOG,
        random -> {
          strike(FaultKind.CLOG);
          link(random).clogFor(duration(random, 1));
        });
    if (plan.splits()) {
      splits.begin();
    } else {
      beginCuts();
    }
    recurring(
        FaultKind.CRASH,
        random -> {
          SimulatedNode node = someone(random);
          if (cluster.maySpare(node)) {
            strike(FaultKind.CRASH);
            cluster.crash(node);
          }
        });
    recurring(FaultKind.CRASH_AT_FRAME, random -> crashAtFrame(random, random.nextBoolean()));
    recurring(FaultKind.PAUSE, this::pause);
    recurring(FaultKind.SUSPICION, this::suspect);
    recurring(
        FaultKind.LEAVE,
        random -> {
          SimulatedNode node = someone(random);
          if (cluster.mayLeave(node)) {
            strike(FaultKind.LEAVE);
            cluster.leave(node);
          }
        });
    recurring(FaultKind.SWITCH, this::switchOrdering);
    recurring(FaultKind.LAG, this::lag);
    recurring(FaultKind.BLACKOUT, this::blackOut);
    recurring(FaultKind.NAMESAKE, _ -> namesake());
    recurring(FaultKind.DISK_FULL, random -> cluster.fill(someone(random), random.nextInt(8)));
    recurring(FaultKind.TORN_WRITE, random -> cluster.tear(someone(random), random.nextInt(8)));
    if (plan.has(FaultKind.RESTART)) {
      restartLater(setting.streams().open(Streams.Purpose.FAULT, FaultKind.RESTART.ordinal()));
    }
  }

  private void beginCuts() {
    recurring(
        FaultKind.PARTITION,
        random -> {
          boolean[][] cut = Shape.draw(plan.nodes(), random);
          long nanos = duration(random, 6);
          if (random.nextInt(4) == 0) {
            partition(cut, nanos);
          } else {
            partitionAtAnnouncement(random, cut, nanos);
          }
        });
    recurring(
        FaultKind.ONE_WAY,
        random -> {
          strike(FaultKind.ONE_WAY);
          cut(Shape.drawOneWay(plan.nodes(), random), duration(random, 4));
        });
    recurring(FaultKind.FLAPPING, this::flap);
    recurring(FaultKind.DEAF, random -> inRole(FaultKind.DEAF, random));
    recurring(FaultKind.MUTE, random -> inRole(FaultKind.MUTE, random));
  }

  /// Ends everything.
  void end() {
    over = true;
    splits.end();
    network.heal();
  }

  private void strike(FaultKind kind) {
    setting.tally().fault(kind);
    if (setting.trace().speaks()) {
      setting.trace().say("--", kind.option());
    }
  }

  private void recurring(FaultKind kind, Consumer<SplittableRandom> inject) {
    if (plan.has(kind)) {
      SplittableRandom random = setting.streams().open(Streams.Purpose.FAULT, kind.ordinal());
      long mean = (long) (plan.safetyNanos() / (1 + plan.strength(kind) * OCCURRENCES_MAX));
      recur(random, mean, inject);
    }
  }

  private void recur(SplittableRandom random, long mean, Consumer<SplittableRandom> inject) {
    scheduler.repeat(
        random,
        mean,
        () -> !over,
        () -> {
          if (!cluster.living().isEmpty()) {
            inject.accept(random);
          }
        });
  }

  /// From a little to some times the time of suspicion, short ones as likely as long ones.
  private long duration(SplittableRandom random, int unitsMax) {
    return (long) (plan.suspectNanos() * unitsMax * random.nextDouble() * random.nextDouble());
  }

  private Network.Link link(SplittableRandom random) {
    return network.link(random.nextInt(plan.nodes()), random.nextInt(plan.nodes()));
  }

  private SimulatedNode someone(SplittableRandom random) {
    List<SimulatedNode> living = cluster.living();
    return living.get(random.nextInt(living.size()));
  }

  private void partition(boolean[][] cut, long nanos) {
    strike(FaultKind.PARTITION);
    cut(cut, nanos);
  }

  /// In the moment in which a view is agreed and hardly anybody knows; often a view that leaves out a living member.
  private void partitionAtAnnouncement(SplittableRandom random, boolean[][] cut, long nanos) {
    boolean alone = random.nextInt(4) > 0;
    cluster.atAnnouncement(proposer -> partition(alone ? Shape.isolated(plan.nodes(), proposer.number) : cut, nanos));
    if (random.nextInt(3) > 0) {
      suspectAtAll(someone(random));
    }
  }

  /// Cuts off one direction of all links of whoever matters most: the senior member, who sequences and coordinates; who
  /// announces the next view; who gives the next state.
  private void inRole(FaultKind kind, SplittableRandom random) {
    long nanos = duration(random, 8);
    Consumer<SimulatedNode> strike =
        victim -> {
          strike(kind);
          cut(
              kind == FaultKind.DEAF
                  ? Shape.deaf(plan.nodes(), victim.number)
                  : Shape.mute(plan.nodes(), victim.number),
              nanos);
        };
    switch (random.nextInt(4)) {
      case 0 -> cluster.atAnnouncement(strike);
      case 1 -> cluster.atTransfer(strike);
      default -> {
        View view = cluster.latestPrimary();
        SimulatedNode senior = view == null ? null : cluster.find(view.senior());
        strike.accept(senior == null ? someone(random) : senior);
      }
    }
  }

  private void mend() {
    if (plan.has(FaultKind.SLOW_HEAL) && heals.nextInt(AT_ONCE_ONE_IN) > 0) {
      strike(FaultKind.SLOW_HEAL);
      network.mendOneByOne(
          heals, (long) (plan.suspectNanos() * plan.strength(FaultKind.SLOW_HEAL) * SLOW_HEAL_UNITS_MAX));
    } else {
      network.partition(null);
    }
  }

  private void cut(boolean[][] cut, long nanos) {
    int number = ++partitions;
    network.partition(cut);
    scheduler.after(
        nanos,
        () -> {
          if (number == partitions) {
            mend();
            if (setting.trace().speaks()) {
              setting.trace().say("--", "partition ends");
            }
          }
        });
  }

  private void flap(SplittableRandom random) {
    strike(FaultKind.FLAPPING);
    boolean[][] cut = random.nextBoolean() ? Shape.draw(plan.nodes(), random) : Shape.drawOneWay(plan.nodes(), random);
    long period = plan.heartbeatNanos() / 2 + random.nextLong(plan.suspectNanos());
    int number = ++partitions;
    flap(cut, period, number, random.nextInt(4, 16));
  }

  private void flap(boolean[][] cut, long period, int number, int left) {
    if (number == partitions) {
      network.partition(left % 2 == 0 && left > 0 ? cut : null);
      if (left > 0) {
        scheduler.after(period, () -> flap(cut, period, number, left - 1));
      }
    }
  }

  private void crashAtFrame(SplittableRandom random, boolean senior) {
    View view = cluster.latestPrimary();
    SimulatedNode victim = senior && view != null ? cluster.find(view.senior()) : someone(random);
    if (victim != null && victim.isAlive() && cluster.maySpare(victim)) {
      if (random.nextInt(3) > 0) {
        victim.crashAtAnnouncement(random.nextInt(0, 3));
      } else {
        victim.crashAfterFrames(random.nextInt(1, 40));
      }
      if (random.nextBoolean() && view != null) {
        // Something to do for whoever coordinates: a member to be excluded.
        var others = new ArrayList<>(cluster.living());
        others.remove(victim);
        if (!others.isEmpty()) {
          suspectAtAll(others.get(random.nextInt(others.size())));
        }
      }
    }
  }

  private void pause(SplittableRandom random) {
    strike(FaultKind.PAUSE);
    SimulatedNode node = someone(random);
    node.pause();
    if (setting.trace().speaks()) {
      setting.trace().say(node.self.name(), "pauses");
    }
    scheduler.after(
        duration(random, random.nextInt(3) == 0 ? 12 : 2),
        () -> {
          if (setting.trace().speaks()) {
            setting.trace().say(node.self.name(), "goes on");
          }
          node.resume();
        });
  }

  private void suspect(SplittableRandom random) {
    strike(FaultKind.SUSPICION);
    SimulatedNode suspect = someone(random);
    if (random.nextInt(3) == 0) {
      suspectAtAll(suspect);
    } else {
      someone(random).request(new Request.Suspect(suspect.self), 0);
    }
  }

  private void suspectAtAll(SimulatedNode suspect) {
    for (SimulatedNode node : cluster.living()) {
      if (node != suspect) {
        node.request(new Request.Suspect(suspect.self), 0);
      }
    }
  }

  /// Mostly what the senior member sends: in some orderings the others depend on it.
  private void lag(SplittableRandom random) {
    strike(FaultKind.LAG);
    View view = cluster.latestPrimary();
    SimulatedNode senior = view == null ? null : cluster.find(view.senior());
    SimulatedNode slow = senior == null || random.nextInt(3) == 0 ? someone(random) : senior;
    for (int to = 0; to < plan.nodes(); to++) {
      if (random.nextInt(3) > 0) {
        network.link(slow.number, to).clogFor((long) (plan.suspectNanos() * LAG_UNITS_MAX * random.nextDouble()));
      }
    }
  }

  private void switchOrdering(SplittableRandom random) {
    strike(FaultKind.SWITCH);
    int wishes = random.nextInt(3) == 0 ? 2 : 1;
    for (int i = 0; i < wishes; i++) {
      cluster.switchOrdering(someone(random), Plan.draw(random));
    }
  }

  /// Looks now and then for a crashed or departed node and brings it back.
  private void restartLater(SplittableRandom random) {
    long mean = (long) (plan.suspectNanos() * (0.2 + 3 * random.nextDouble()));
    recur(
        random,
        mean,
        _ -> {
          List<Integer> empty = cluster.emptyPlaces();
          if (!empty.isEmpty()) {
            strike(FaultKind.RESTART);
            restart(empty.get(random.nextInt(empty.size())));
          }
        });
  }

  private void restart(int place) {
    if (plan.has(FaultKind.DISK_LOSS)
        && disks.nextDouble() < DISK_LOSS_SHARE * (1 + plan.strength(FaultKind.DISK_LOSS))) {
      strike(FaultKind.DISK_LOSS);
      cluster.wipe(place);
    }
    cluster.restart(place);
  }

  /// Somebody starts the process again whose name is in use.
  private void namesake() {
    strike(FaultKind.NAMESAKE);
    int place = plan.nodes() - 1;
    if (cluster.emptyPlaces().contains(place)) {
      cluster.restart(place);
    }
  }

  /// Everybody goes, and comes back in any order, some only when all faults have ended.
  private void blackOut(SplittableRandom random) {
    strike(FaultKind.BLACKOUT);
    long within = random.nextInt(3) == 0 ? 1 : plan.suspectNanos();
    for (SimulatedNode node : cluster.living()) {
      scheduler.after(random.nextLong(within), () -> goDark(node));
      boolean late = random.nextInt(5) == 0;
      if (!late) {
        scheduler.after(within + duration(random, 6), () -> comeBack(node.number));
      }
    }
  }

  private void goDark(SimulatedNode node) {
    if (!over) {
      cluster.crash(node);
    }
  }

  private void comeBack(int place) {
    if (!over && cluster.emptyPlaces().contains(place)) {
      restart(place);
    }
  }
}
