package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Guarantee;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.sim.check.Checkers;
import org.tutti.sim.check.History;
import org.tutti.sim.check.MultiGroupCausality;
import org.tutti.sim.check.MultiGroupOrder;
import org.tutti.sim.check.NoContradiction;
import org.tutti.sim.check.Violation;

/// One run: a group of nodes on one thread, all that happens to them drawn from one seed.
///
/// First the phase of safety: members multicast while everything in the [Plan] goes wrong. Then the phase of liveness:
/// all faults end, and within a bounded time the living members must be in one primary view, know the fate of all their
/// multicasts and have the same state. When the run is over, the checkers read its history.
public final class Simulation {
  private static final int DURABLE_BALLAST_MAX = 500; // a snapshot follows when the log is as long as the last one
  private static final long STEPS_MAX = 600_000; // besides what members say at each heartbeat
  private static final long STEPS_PER_HEARTBEAT = 12; // of a pair: a heartbeat, and greetings in each of three groups
  private static final long LIVENESS_UNITS = 80;
  private static final long HELD_BACK_UNITS = 3;
  private static final long QUIET_UNITS = 3;
  private static final int VIEWS_TO_REST_MAX = 20;

  /// What the parts of a run share.
  record Setting(Plan plan, Streams streams, Scheduler scheduler, RunCounts tally, Trace trace, History history) {}

  private final Plan plan;
  private final Setting setting;
  private final Scheduler scheduler = new Scheduler();
  private final SimulatedCluster cluster;
  private final Faults faults;
  private final Network network;
  private final Disaster disaster;
  private final Workload workload;
  private final Workload.Subsets subsets;
  private final @Nullable Overlap overlap;
  private final ExchangeGroup exchange;
  private final ReturningGroup returning;
  private final @Nullable ServiceGroup service;
  private final @Nullable CallGroup calls;
  private final boolean alone; // nobody but a service and its clients does anything
  private final @Nullable Recorder recorder;
  private final List<Violation> violations = new ArrayList<>();
  private boolean broken;
  private boolean quorumLost;

  /// @param tested a service that is all that the run is about, or null
  private Simulation(
      Plan plan, @Nullable TestedService tested, @Nullable Consumer<String> lines, @Nullable Recorder recorder) {
    this.plan = plan;
    this.recorder = recorder;
    var tally = new RunCounts();
    var history = new History(plan.config());
    this.setting = new Setting(plan, new Streams(plan.seed()), scheduler, tally, new Trace(scheduler, lines), history);
    this.overlap = plan.overlaps() ? new Overlap(setting) : null;
    this.exchange = new ExchangeGroup(setting, tested == null);
    this.returning = new ReturningGroup(setting, tested == null);
    this.service = service(tested);
    this.calls = plan.calls() ? new CallGroup(setting, this::broken) : null;
    this.alone = tested != null;
    this.cluster = new SimulatedCluster(setting, this::started, this::broken);
    this.network = new Network(scheduler, plan, tally, cluster);
    if (recorder != null) {
      network.observe(new ViewMessageSniffer(scheduler, recorder));
    }
    this.faults = new Faults(setting, cluster, network);
    this.disaster = new Disaster(setting, cluster, network);
    this.workload = new Workload(setting, cluster);
    this.subsets = new Workload.Subsets(setting, cluster);
  }

  private @Nullable ServiceGroup service(@Nullable TestedService tested) {
    if (tested != null) {
      return new ServiceGroup(setting, tested, plan.multicasts(), this::broken);
    }
    int most = plan.keepsService() ? DURABLE_BALLAST_MAX : Integer.MAX_VALUE;
    var registers = new RegisterService.Tested(Math.min(plan.stateBytes(), most));
    return plan.serves() ? new ServiceGroup(setting, registers, Integer.MAX_VALUE, this::broken) : null;
  }

  private void started(SimulatedNode node) {
    if (overlap != null) {
      overlap.started(node);
    }
    if (plan.mayVote(node.number)) {
      exchange.started(node);
      returning.started(node);
    }
    if (service != null) {
      service.started(node, cluster.disk(node.number));
    }
    if (calls != null) {
      calls.started(node);
    }
  }

  /// Runs a plan.
  ///
  /// @param plan what to do
  /// @return what came of it
  public static RunResult run(Plan plan) {
    return new Simulation(plan, null, null, null).run();
  }

  /// Runs a plan and tells every step.
  ///
  /// @param plan  what to do
  /// @param lines gets the steps: simulated time, node, event
  /// @return what came of it
  public static RunResult run(Plan plan, Consumer<String> lines) {
    return new Simulation(plan, null, lines, null).run();
  }

  /// Runs a plan and shows it to somebody.
  ///
  /// @param plan     what to do
  /// @param recorder is shown it
  /// @return what came of it
  public static RunResult run(Plan plan, Recorder recorder) {
    return new Simulation(plan, null, null, recorder).run();
  }

  /// Runs a plan of which a service and its clients are all.
  ///
  /// @param plan   what to do, as [Plan#drawOfService] draws it; its multicasts are what clients do at most
  /// @param tested the service, for this run only
  /// @param lines  gets the steps, as above; null if nobody reads them
  /// @return what came of it
  public static RunResult run(Plan plan, TestedService tested, @Nullable Consumer<String> lines) {
    return new Simulation(plan, tested, lines, null).run();
  }

  private void begin() {
    cluster.begin(network);
    faults.begin();
    if (!alone) {
      workload.begin();
      subsets.begin();
    }
    if (overlap != null) {
      overlap.begin();
    }
    exchange.begin();
    returning.begin();
    if (service != null) {
      service.begin();
    }
    if (calls != null) {
      calls.begin();
    }
  }

  private RunResult run() {
    begin();
    advance(plan.safetyNanos());
    boolean rest = false;
    if (!stopped()) {
      rest = comeToRest();
    }
    List<Violation> last = rest ? farewell() : List.of();
    List<Violation> found = violationsOfSafety();
    found.addAll(last);
    long chained = 0;
    long relayed = 0;
    boolean mixed = false;
    for (SimulatedApplication life : cluster.lives()) {
      Counters counters = life.node.engine().counters();
      found.addAll(life.violations());
      found.addAll(NoContradiction.check(life.node.self.name(), counters.metrics()));
      long along = counters.get(Count.BATCHES_CHAINED);
      long through = counters.get(Count.BATCHES_RELAYED);
      chained += along;
      relayed += through;
      mixed |= along + through > 0 && along + through < counters.get(Count.BATCHES_SENT);
    }
    found.addAll(violations);
    if (recorder != null) {
      recorder.ended(setting.history(), scheduler.nowNanos());
    }
    RunCounts tally = setting.tally();
    return new RunResult(
        plan,
        scheduler.steps(),
        scheduler.nowNanos(),
        setting.trace().value(),
        tally.faults(),
        tally.frames,
        tally.multicasts,
        tally.deliveries,
        tally.early,
        tally.inBranches,
        chained,
        relayed,
        mixed,
        tally.undecided,
        tally.subsets,
        tally.subsetDeliveries,
        tally.spills,
        tally.views,
        tally.transfers,
        tally.firstCrashed,
        tally.senderCrashed,
        SplitTable.of(tally.splits(), setting.history(), plan.safetyNanos()),
        quorumLost,
        service == null ? 0 : service.calls(),
        service == null ? 0 : service.told(),
        service == null ? 0 : service.copies(),
        service == null ? 0 : service.suspicions(),
        service == null ? 0 : service.collected(),
        service == null ? 0 : service.reduced(),
        service == null ? 0 : service.groupClients().formed(),
        service == null ? 0 : service.groupClients().answered(),
        service == null ? 0 : service.bundles(),
        List.copyOf(found));
  }

  /// What did not hold at any time.
  private List<Violation> violationsOfSafety() {
    List<Violation> found = Checkers.check(setting.history(), Checkers.safety());
    found.addAll(exchange.violations());
    found.addAll(returning.violations());
    if (service != null) {
      found.addAll(service.violations());
    }
    if (calls != null) {
      found.addAll(calls.violations());
    }
    found.addAll(disaster.violations());
    if (overlap != null && plan.config().guarantee() == Guarantee.UNIFORM) { // the others may follow what is lost
      found.addAll(MultiGroupOrder.check(overlap.crossing()));
      found.addAll(MultiGroupCausality.check(overlap.crossing()));
    }
    return found;
  }

  /// What does not hold at rest; then, where there are observers, the group may end.
  private List<Violation> farewell() {
    List<Violation> found = Checkers.check(setting.history(), Checkers.liveness());
    found.addAll(Convergence.differences(cluster));
    found.addAll(exchange.violationsAtRest());
    found.addAll(returning.violationsAtRest());
    if (service != null) {
      found.addAll(service.violationsAtRest());
    }
    if (calls != null) {
      found.addAll(calls.violationsAtRest());
    }
    var farewell = new VotersLeave(setting, cluster);
    if (!stopped() && farewell.begin()) {
      if (setting.trace().speaks()) {
        setting.trace().say("--", "all who vote leave");
      }
      for (long end = scheduler.nowNanos() + farewell.nanosMax(); scheduler.nowNanos() < end && !stopped(); ) {
        advance(scheduler.nowNanos() + plan.heartbeatNanos());
        if (farewell.isOver()) {
          break;
        }
      }
      found.addAll(farewell.violations());
    }
    return found;
  }

  /// The phase of liveness.
  ///
  /// @return whether the group came to rest in one primary view
  private boolean comeToRest() {
    if (setting.trace().speaks()) {
      setting.trace().say("--", "all faults end");
    }
    faults.end();
    if (disaster.strike()) {
      cluster.quiet();
      while (scheduler.nowNanos() < disaster.endNanos() && !stopped()) {
        advance(scheduler.nowNanos() + plan.heartbeatNanos());
        disaster.beginAnew();
      }
    }
    long before = setting.tally().views;
    int members = cluster.members().size();
    cluster.calm();
    if (service != null) {
      service.calm();
    }
    // What the network held up in the phase of safety arrives before the group is expected to be quiet.
    advance(scheduler.nowNanos() + Network.DELAY_UNITS_MAX * plan.suspectNanos());
    if (!settle() || !lastWords()) {
      judge();
      return false;
    }
    refuseStorm(setting.tally().views - before, Math.max(members, cluster.members().size()));
    if (!intervalQuiet()) {
      judge();
      return false;
    }
    if (service != null) {
      advanceUntil(service::isTogether, service.restNanos());
      service.last();
      advanceUntil(service::isAtRest, service.answerNanos());
    }
    if (calls != null) {
      advanceUntil(calls::isTogether, calls.restNanos());
      calls.last();
      advanceUntil(calls::isAtRest, calls.restNanos());
    }
    advanceUntil(exchange::isTogether, exchange.restNanos());
    exchange.last();
    advanceUntil(exchange::isAtRest, exchange.restNanos());
    exchange.afterthought();
    advanceUntil(exchange::isAtRest, exchange.restNanos());
    advanceUntil(returning::isTogether, returning.restNanos());
    returning.last();
    advanceUntil(returning::isAtRest, returning.restNanos());
    if (service != null) {
      advanceUntil(this::areAtRest, service.answerNanos());
    }
    return true;
  }

  /// Whether all that came to rest one after the other still are: a client may have had more to ask.
  private boolean areAtRest() {
    return (service == null || service.isAtRest())
        && (calls == null || calls.isAtRest())
        && exchange.isAtRest()
        && returning.isAtRest();
  }

  /// When the faults have ended, a few views bring all together; observers that are too slow may go meanwhile.
  private void refuseStorm(long views, int members) {
    if (views > (long) VIEWS_TO_REST_MAX * members) {
      violations.add(new Violation("Storm", views + " views at " + members + " members since the faults ended"));
    }
  }

  /// At rest nothing changes any more. Another group of a node may find out only now that the node's build is too old
  /// for it; then an operator has started the node again, and the rest begins anew.
  ///
  /// @return whether it has begun
  private boolean intervalQuiet() {
    long views;
    int upgrades;
    do {
      views = setting.tally().views;
      upgrades = cluster.upgrades();
      advance(scheduler.nowNanos() + QUIET_UNITS * plan.suspectNanos());
      if (cluster.upgrades() != upgrades && !settle()) {
        return false;
      }
    } while (cluster.upgrades() != upgrades);
    if (setting.tally().views != views) {
      violations.add(
          new Violation("Quiet", (setting.tally().views - views) + " views were installed although nothing happened"));
    }
    return true;
  }

  /// Lets another group come to rest, too, for a bounded time.
  private void advanceUntil(BooleanSupplier rest, long nanosMax) {
    for (long end = scheduler.nowNanos() + nanosMax; scheduler.nowNanos() < end && !stopped(); ) {
      if (rest.getAsBoolean()) {
        return;
      }
      advance(scheduler.nowNanos() + plan.heartbeatNanos());
    }
  }

  /// Everybody multicasts once more. Who got its state from the view before, when another transfer had been agreed, has
  /// asked for one more view, and its coordinator may hold that back for a while: nothing else shows it. Who takes none
  /// of these multicasts goes, one after the other, as each view may have its members begin to measure anew.
  private boolean lastWords() {
    workload.last();
    subsets.last();
    if (!settle()) {
      return false;
    }
    advance(scheduler.nowNanos() + HELD_BACK_UNITS * plan.suspectNanos());
    long each = plan.member().leaveWhenBehind().toNanos() + plan.suspectNanos();
    advanceUntil(() -> cluster.members().stream().noneMatch(SimulatedApplication::isTooSlow), each * plan.nodes());
    return settle();
  }

  /// Runs until everybody is at rest in one primary view, for a bounded time.
  private boolean settle() {
    long end = scheduler.nowNanos() + LIVENESS_UNITS * plan.suspectNanos() + Convergence.transferNanos(plan);
    while (scheduler.nowNanos() < end && !stopped()) {
      advance(scheduler.nowNanos() + plan.heartbeatNanos());
      disaster.beginAnew();
      if (Convergence.obstacle(cluster) == null) {
        return true;
      }
    }
    return false;
  }

  /// The group did not come to rest. If crashed members come back as if they had only stood still, and then it does,
  /// the crashes had taken away what the group needs: nobody's fault.
  private void judge() {
    if (stopped()) {
      return;
    }
    String obstacle = Convergence.obstacle(cluster);
    if (disaster.hasStruck()) {
      quorumLost = !cluster.mayBePrimary() || cluster.mayNeedEnded();
      if (!quorumLost) {
        violations.add(new Violation("Forced", String.valueOf(obstacle)));
      }
      return;
    }
    if (cluster.mustGoOnByMajority()) {
      violations.add(new Violation("StaticMajorityGoesOn", String.valueOf(obstacle)));
      return;
    }
    if (cluster.thaw()) {
      if (setting.trace().speaks()) {
        setting.trace().say("--", "no rest: " + obstacle + "; the crashed come back to see whether they are missing");
      }
      if (settle()) {
        quorumLost = true;
        return;
      }
    }
    if (stopped()) {
      return;
    }
    if (cluster.mayHaveLostQuorum()) {
      quorumLost = true;
      return;
    }
    violations.add(new Violation("Convergence", String.valueOf(obstacle)));
  }

  private boolean stopped() {
    return broken || isStorm();
  }

  /// Whether more has happened than members may cause. As long as a group stays apart, because all its members have
  /// crashed and nobody has its state, they greet each other in each heartbeat, however long the run is.
  private boolean isStorm() {
    long heartbeats = scheduler.nowNanos() / plan.heartbeatNanos();
    return scheduler.steps() >= STEPS_MAX + STEPS_PER_HEARTBEAT * plan.nodes() * (plan.nodes() - 1) * heartbeats;
  }

  private void advance(long untilNanos) {
    while (!stopped() && scheduler.advance(untilNanos)) {
      // All happens in the scheduler's entries.
    }
    if (isStorm() && !broken) {
      broken = true;
      violations.add(new Violation("Bounded", scheduler.steps() + " steps are more than members may cause"));
    }
  }

  private void broken(SimulatedNode node, Throwable error) {
    if (error instanceof LinkageError) {
      throw (LinkageError) error; // a planted bug that does not fit, not a bug of the engine
    }
    broken = true;
    var text = new StringBuilder(node.self.name() + " stopped: " + error);
    StackTraceElement[] stack = error.getStackTrace();
    for (int i = 0; i < Math.min(8, stack.length); i++) {
      text.append("\n      at ").append(stack[i]);
    }
    if (setting.trace().speaks()) {
      setting.trace().say(node.self.name(), text.toString());
    }
    violations.add(new Violation("NoBrokenInvariant", text.toString()));
  }

  /// The end of a group that has observers, in half of the runs that come to rest: all who vote leave, in any order.
  /// The last of them gets away, and the observers are told that the group has ended. Not with an electorate: without
  /// the majority of its names no view is primary, and who leaves such a view is as good as crashed.
  private static final class VotersLeave {
    private static final int USED_OF = 2;
    private static final int UNITS_MAX = 12; // times of suspicion; whoever has left waits for its last words up to 5
    private static final int VIEWS_MORE = 2; // each member may see more than one for each member that leaves

    private final Simulation.Setting setting;
    private final SimulatedCluster cluster;
    private final boolean used;
    private long viewsBefore;
    private int voters;
    private int size;

    VotersLeave(Simulation.Setting setting, SimulatedCluster cluster) {
      this.setting = setting;
      this.cluster = cluster;
      boolean drawn = setting.streams().open(Streams.Purpose.ROLE, Long.MAX_VALUE).nextInt(USED_OF) == 0;
      this.used = drawn && setting.plan().config().electorate().isEmpty();
    }

    /// Begins it, if there are observers: whether there are.
    boolean begin() {
      List<SimulatedApplication> members = cluster.members();
      size = members.size();
      voters = (int) members.stream().filter(SimulatedApplication::votes).count();
      if (!used || voters == size) {
        return false;
      }
      viewsBefore = setting.tally().views;
      var random = setting.streams().open(Streams.Purpose.ROLE, Long.MIN_VALUE);
      boolean atOnce = random.nextBoolean();
      for (SimulatedApplication member : members) {
        if (member.votes()) {
          long later = atOnce ? 0 : random.nextLong(2 * setting.plan().suspectNanos());
          setting.scheduler().after(later, member::leave);
        }
      }
      return true;
    }

    /// How long it may take.
    long nanosMax() {
      return UNITS_MAX * setting.plan().suspectNanos();
    }

    /// Whether everybody is out.
    boolean isOver() {
      return cluster.lives().stream().allMatch(life -> life.isClosed() || !life.node.isAlive());
    }

    /// What went wrong.
    List<Violation> violations() {
      List<Violation> found = new ArrayList<>();
      long views = setting.tally().views - viewsBefore;
      if (views > (long) (voters + VIEWS_MORE) * size) {
        found.add(new Violation("Storm", views + " views at " + size + " members while " + voters + " leave"));
      }
      for (SimulatedApplication life : cluster.lives()) {
        if (!life.isClosed() && life.node.isAlive()) {
          found.add(new Violation("Farewell", life.node.self + " is still in " + life.view()));
        } else if (!life.votes() && life.node.isAlive() && !wasTold(life.end())) {
          found.add(new Violation("Farewell", life.node.self + " was told: " + life.end()));
        }
      }
      return found;
    }

    private static boolean wasTold(@Nullable End end) {
      return end != null && (end.cause() == End.Cause.LAST_VOTER_LEFT || end.cause() == End.Cause.DROPPED);
    }
  }
}
