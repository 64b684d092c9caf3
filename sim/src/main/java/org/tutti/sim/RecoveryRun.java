package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Service;
import org.tutti.Suspicion;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.sim.check.Checkers;
import org.tutti.sim.check.History;
import org.tutti.sim.check.HistoryEvent;
import org.tutti.sim.check.Violation;

/// How a group gets over one fault: all members multicast without a pause, one [SingleFault] strikes, lasts and ends,
/// and what is measured is how long those that it spares deliver nothing, how soon all deliver again and are in one
/// view, and how many views that took. The group, its settings, the fault and its length are drawn from a seed.
///
/// What takes longer than a fault may is a violation of `RecoveryBound`; the history is checked as that of any run.
public final class RecoveryRun {
  private static final String BOUND = "RecoveryBound";
  private static final double ASKED_MORE = 1.5; // without a delivery, where others are asked first
  private static final int HEARTBEATS_MAX = 2; // until a silence is noticed and said, each time
  private static final double NEXT_MAX = 2; // until all deliver again, after the end of a fault that healed at once
  private static final int REPEAT_FACTOR_MAX = 16; // the longest pause of a link, in retransmission times
  private static final double UNITS_MIN = 0.4;
  private static final double UNITS_MAX = 12;
  private static final int WARM_UP_UNITS = 2;
  private static final double BEGIN_UNITS_MIN = 0.0025; // in which all begin
  private static final double BEGIN_UNITS_MAX = 0.25;
  private static final double JOINED_MAX = 2; // until all that begin are in one view, if one of them founds the group
  private static final double FOUNDED_MAX = 4; // if several do
  private static final int REPEATED_UNITS = 3; // how long what happens again lasts each time before
  private static final int PATIENCE_UNITS = 80;
  private static final int LAST_WORDS_UNITS = 2; // after the end: what was concluded from the fault is acted upon
  private static final int QUIET_UNITS = 3; // without a view: all is over
  private static final int WORK_PER_HEARTBEAT = 2;
  private static final double LEAVING_MAX = 1.5; // until who is too far behind has noticed that and left
  private static final int LONG_BYTES_MIN = 64;
  private static final int LONG_BYTES_MAX = 4096; // of messages that are to fill windows

  /// What one run showed, in times of suspicion. A number below 0 means that there was nothing to measure.
  ///
  /// @param seed       the run
  /// @param fault      what struck
  /// @param length     how long it lasted
  /// @param begun      from the beginning of the first node until all are in one primary view
  /// @param silence    the longest time without a delivery at a member that it spared, while it lasted
  /// @param next       from its end until every member has delivered something
  /// @param whole      from its end until all are in one primary view
  /// @param views      how many views anybody installed, from its beginning
  /// @param healViews  how many were agreed after its end; not those in which a member is alone for an instant, before
  ///                   it enters the view of all
  /// @param violations what did not hold
  public record Result(
      long seed,
      SingleFault fault,
      double length,
      double begun,
      double silence,
      double next,
      double whole,
      int views,
      int healViews,
      List<Violation> violations) {
    /// Whether everything held.
    ///
    /// @return whether there is no violation
    public boolean passed() {
      return violations.isEmpty();
    }
  }

  private final Plan plan;
  private final Scheduler scheduler = new Scheduler();
  private final History history;
  private final Simulation.Setting setting;
  private final SimulatedCluster cluster;
  private final Network network;
  private final SplittableRandom random;
  private final SingleFault fault;
  private final double units;
  private final int bytes; // of a multicast
  private final List<Violation> violations = new ArrayList<>();
  private final long[] deliveredAt; // by place
  private final long[] silence; // by place; the longest
  private long watchedFrom = Long.MAX_VALUE;
  private double begunUnits = -1;
  private boolean working = true;
  private boolean leaves; // who is struck, when its application is too far behind
  private boolean broken;
  private long sent;
  private int donor = -1; // who was asked for a state last

  private RecoveryRun(long seed, @Nullable SingleFault only, @Nullable Consumer<String> lines) {
    this.random = new Streams(seed).open(Streams.Purpose.FAULT, FaultKind.values().length);
    SingleFault drawn = SingleFault.values()[random.nextInt(SingleFault.values().length)];
    this.fault = only == null ? drawn : only;
    this.units = UNITS_MIN * Math.pow(UNITS_MAX / UNITS_MIN, random.nextDouble());
    this.plan = plan(seed, fault);
    this.bytes = fault.isOfConsumers() ? random.nextInt(LONG_BYTES_MIN, LONG_BYTES_MAX) : 1;
    this.history = new History(plan.config());
    this.setting =
        new Simulation.Setting(
            plan, new Streams(plan.seed()), scheduler, new RunCounts(), new Trace(scheduler, lines), history);
    this.deliveredAt = new long[plan.nodes()];
    this.silence = new long[plan.nodes()];
    this.cluster = new SimulatedCluster(setting, _ -> {}, this::broken);
    this.network = new Network(scheduler, plan, setting.tally(), cluster);
    cluster.atDelivery(life -> deliveredAt[life.node.number] = scheduler.nowNanos());
  }

  /// Runs a seed.
  ///
  /// @param seed  the run
  /// @param only  the fault, or null for the one that the seed draws
  /// @return what it showed
  public static Result run(long seed, @Nullable SingleFault only) {
    return new RecoveryRun(seed, only, null).run();
  }

  /// Runs a seed and tells every step.
  ///
  /// @param seed  the run
  /// @param only  the fault, or null for the one that the seed draws
  /// @param lines gets the steps: simulated time, node, event
  /// @return what it showed
  public static Result run(long seed, @Nullable SingleFault only, Consumer<String> lines) {
    return new RecoveryRun(seed, only, lines).run();
  }

  /// The group of a run in words.
  ///
  /// @param seed  the run
  /// @param fault what strikes in it
  /// @return numbers of nodes, guarantee, ordering, sizes and times
  public static String describe(long seed, SingleFault fault) {
    return plan(seed, fault).describe();
  }

  private static Plan plan(long seed, SingleFault fault) {
    return fault.in(Plan.draw(seed).forRecovery());
  }

  private Result run() {
    double within = BEGIN_UNITS_MIN * Math.pow(BEGIN_UNITS_MAX / BEGIN_UNITS_MIN, random.nextDouble());
    cluster.begin(network, suspect(within));
    work();
    boolean ready = await(this::isWhole, WARM_UP_UNITS * PATIENCE_UNITS);
    judgeBeginning(ready);
    advance(scheduler.nowNanos() + suspect(WARM_UP_UNITS) + random.nextLong(plan.suspectNanos()));
    if (!ready || !isWhole()) {
      violations.add(new Violation("Convergence", "before the fault: " + situation()));
      return finished(-1, -1, -1, 0, 0);
    }
    if (fault.isOfDonor() && !bringNewcomer()) {
      violations.add(new Violation("Convergence", "nobody gives a state to a newcomer: " + situation()));
      return finished(-1, -1, -1, 0, 0);
    }
    if (!repeat()) {
      violations.add(new Violation("Convergence", "before the last time: " + situation()));
      return finished(-1, -1, -1, 0, 0);
    }
    int begun = history.events().size();
    View before = Objects.requireNonNull(cluster.latestPrimary());
    SingleFault.Strike strike = draw(before);
    List<Integer> spared = mayGoOn(strike.spared(), before);
    strike(strike);
    watchedFrom = scheduler.nowNanos();
    Arrays.fill(deliveredAt, watchedFrom);
    advance(watchedFrom + suspect(units));
    watch();
    double longest = spared.stream().mapToDouble(place -> inUnits(silence[place])).max().orElse(-1);
    boolean goesOn = !before.equals(cluster.latestPrimary()); // a part of the group, while it lasts
    end(strike);
    long end = scheduler.nowNanos();
    int ended = history.events().size();
    boolean together = await(this::isWhole, PATIENCE_UNITS);
    long over = end + (fault.healsSlowly() ? suspect(SingleFault.SLOW_HEAL_UNITS) : 0);
    double next = await(() -> allDelivered(end), PATIENCE_UNITS) ? inUnits(scheduler.nowNanos() - end) : -1;
    boolean intervals = together && await(this::isQuiet, PATIENCE_UNITS);
    double whole = intervals ? inUnits(Math.max(0, installedAt() - end)) : -1;
    judge(longest, next, whole, viewsSince(begun));
    double primary = goesOn ? 0 : inUnits(Math.max(0, primaryFrom(ended) - end));
    if (primary > fault.primaryMax()) {
      bound("nobody is in a primary view for " + words(primary) + ", " + words(fault.primaryMax()) + " is allowed");
    }
    int healViews = agreedSince(ended);
    if (!plan.connected() && healViews > fault.healViewsMax(units)) {
      bound(healViews + " views after its end, " + fault.healViewsMax(units) + " are allowed");
    }
    if (fault.isOfOne()) {
      putOut(history.events().subList(begun, ended), strike.spared())
          .ifPresent(view -> bound("one that is spared went to " + view + " without another one"));
    }
    double last = fault.timesBefore() > 0 ? fault.wholeMax() : LAST_WORDS_UNITS; // some come later
    lossSince(Math.max(wholeFrom(over), over + suspect(last)))
        .ifPresent(view -> bound("when it was over and all had been in one view, somebody went to " + view));
    return finished(longest, next, whole, viewsSince(begun), healViews);
  }

  /// All come to rest, and the history is checked.
  private Result finished(double longest, double next, double whole, int views, int healViews) {
    working = false;
    cluster.calm();
    if (whole >= 0 && await(() -> Convergence.obstacle(cluster) == null, PATIENCE_UNITS)) {
      violations.addAll(Convergence.differences(cluster));
    } else if (whole >= 0) {
      violations.add(new Violation("Convergence", "after the fault: " + Convergence.obstacle(cluster)));
    }
    violations.addAll(Checkers.check(history, Checkers.safety()));
    return new Result(
        plan.seed(), fault, units, begunUnits, longest, next, whole, views, healViews, List.copyOf(violations));
  }

  private void judgeBeginning(boolean ready) {
    begunUnits = ready ? inUnits(installedAt()) : -1;
    double max = plan.isJoint() ? FOUNDED_MAX : JOINED_MAX;
    if (begunUnits > max) {
      bound("all that begin are in one view after " + words(begunUnits) + ", " + words(max) + " is allowed");
    }
    if (!plan.isJoint()) {
      primaryLost()
          .ifPresent(view -> bound("nothing has failed yet, and somebody went from a primary view to " + view));
    }
  }

  /// A view that is not primary, which somebody installed who was in a primary one.
  private Optional<View> primaryLost() {
    var last = new TreeMap<Integer, View>();
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Installed(int member, long _, View view)) {
        View before = last.put(member, view);
        if (before != null && before.primary() && !view.primary()) {
          return Optional.of(view);
        }
      }
    }
    return Optional.empty();
  }

  private void judge(double longest, double next, double whole, int views) {
    double silenceMax = silenceMax();
    if (longest > silenceMax) {
      bound("those that are spared delivered nothing for " + words(longest) + ", " + words(silenceMax) + " is allowed");
    }
    double wholeMax = fault.wholeMax();
    if (whole < 0 || whole > wholeMax) {
      String when = whole < 0 ? "never (" + situation() + ")" : "after " + words(whole);
      bound("all are in one view " + when + ", " + words(wholeMax) + " is allowed");
    }
    int healing = fault.healsSlowly() ? SingleFault.SLOW_HEAL_UNITS : 0;
    if (next < 0 || next > Math.max(whole, healing) + NEXT_MAX + repeatedMax(whole)) {
      bound("all delivered again " + (next < 0 ? "never" : "after " + words(next)));
    }
    if (views > fault.viewsMax(plan.nodes(), units)) {
      bound(views + " views, " + fault.viewsMax(plan.nodes(), units) + " are allowed");
    }
  }

  /// Where others refuted that two do not hear each other, all stay in one view, and so they do if one that was lost
  /// had just been taken back when the fault ended. Then nothing but the pause of a link between two repetitions,
  /// which doubles as long as nothing arrives, says when the missing messages come.
  private double repeatedMax(double whole) {
    boolean stayed = fault.isOfTwo() && (refutedMax().isPresent() || whole == 0);
    return stayed ? Math.min(REPEAT_FACTOR_MAX * inUnits(plan.retransmitNanos()), units) : 0;
  }

  private double silenceMax() {
    double heartbeats = HEARTBEATS_MAX * inUnits(plan.heartbeatNanos());
    OptionalInt refuted = refutedMax();
    if (refuted.isEmpty() || !fault.isSuspicious()) {
      return fault.silenceMax() + heartbeats;
    }
    double more = fault.isOfTwo() ? Math.max(ASKED_MORE, refuted.getAsInt()) : ASKED_MORE;
    return SingleFault.SILENCE_MAX + more + 2 * heartbeats;
  }

  /// The longest that a member leaves another one in the view for the others' word, if one asks for it.
  private OptionalInt refutedMax() {
    var settings = new Settings(plan);
    return IntStream.range(0, plan.nodes())
        .mapToObj(place -> settings.terms(place, false).member())
        .filter(own -> own.suspicion() == Suspicion.REFUTABLE)
        .mapToInt(MemberConfig::refutedMax)
        .max();
  }

  private void bound(String what) {
    violations.add(new Violation(BOUND, fault.words() + " for " + words(units) + ": " + what));
  }

  private static String words(double units) {
    return String.format("%.2f times of suspicion", units);
  }

  // ---- the fault -------------------------------------------------------------------------------------------------

  private SingleFault.Strike draw(View view) {
    int[] ranks = view.members().stream().mapToInt(this::numberOf).toArray();
    return fault.draw(new SingleFault.Targets(ranks, view.voting(), donor), random);
  }

  /// It has happened before, each time until all were lost, and then until all were in one view again.
  private boolean repeat() {
    View before = Objects.requireNonNull(cluster.latestPrimary());
    boolean whole = true;
    for (int time = 0; time < fault.timesBefore() && whole; time++) {
      network.partition(draw(before).cut());
      advance(scheduler.nowNanos() + suspect(REPEATED_UNITS));
      network.partition(null);
      whole = await(this::isWhole, PATIENCE_UNITS);
    }
    return whole;
  }

  private void strike(SingleFault.Strike strike) {
    say(fault.words() + " begins");
    network.partition(strike.cut());
    switch (strike.act()) {
      case NONE -> {}
      case CRASHES -> {
        SimulatedNode victim = node(strike.whom());
        cluster.crash(victim);
        if (fault == SingleFault.SENIOR_CRASH_SEEN) {
          scheduler.after(plan.heartbeatNanos() / 2, () -> cluster.tellGone(victim));
        }
      }
      case STANDS_STILL -> node(strike.whom()).pause();
      case TAKES_NOTHING -> {
        leaves = !new Settings(plan).terms(strike.whom(), false).member().leaveWhenBehind().isZero();
        application(strike.whom()).stopConsuming();
      }
      case VOTERS_TAKE_NOTHING -> voters().forEach(SimulatedApplication::stopConsuming);
      case WRITES_NOTHING -> cluster.fill(node(strike.whom()), 0);
    }
    if (fault.isTwofold()) {
      advance(scheduler.nowNanos() + plan.suspectNanos() / 2);
      network.partition(strike.later());
      say(fault.words() + " goes on");
    }
  }

  private void end(SingleFault.Strike strike) {
    say(fault.words() + " ends");
    if (fault.healsSlowly()) {
      network.mendOneByOne(random, suspect(SingleFault.SLOW_HEAL_UNITS));
    } else {
      network.partition(null);
    }
    switch (strike.act()) {
      case NONE -> {}
      case CRASHES -> cluster.restart(strike.whom());
      case STANDS_STILL -> node(strike.whom()).resume();
      case TAKES_NOTHING -> {
        Optional<SimulatedApplication> struck = find(strike.whom());
        judgeLeft(struck.isEmpty());
        struck.ifPresent(SimulatedApplication::goOnConsuming);
        comeBack(strike.whom());
        scheduler.after(suspect(LEAVING_MAX), () -> comeBack(strike.whom())); // who was about to leave has left
      }
      case VOTERS_TAKE_NOTHING -> voters().forEach(SimulatedApplication::goOnConsuming);
      case WRITES_NOTHING -> {
        cluster.makeRoom(strike.whom());
        if (cluster.emptyPlaces().contains(strike.whom())) {
          cluster.restart(strike.whom());
        }
      }
    }
  }

  /// Whoever is too far behind is gone at last, and nobody else is.
  private void judgeLeft(boolean left) {
    if (left && (!leaves || units < SingleFault.BEHIND_UNITS)) {
      bound("a member has left, although its application was not too far behind");
    }
    if (leaves && !left && units > SingleFault.BEHIND_UNITS + LEAVING_MAX) {
      bound("a member whose application is too far behind is still there");
    }
  }

  /// A process whose membership has ended is started anew.
  private void comeBack(int place) {
    if (find(place).isEmpty()) {
      cluster.living().stream().filter(node -> node.number == place).findFirst().ifPresent(cluster::crash);
      cluster.restart(place);
    }
  }

  /// A member crashes, the others go on without it, and its next life needs the state.
  ///
  /// @return whether the transfer has begun, perhaps so far that its end is on the way
  private boolean bringNewcomer() {
    View view = Objects.requireNonNull(cluster.latestPrimary());
    int place = numberOf(view.members().get(random.nextInt(view.voting())));
    cluster.crash(node(place));
    if (!await(() -> isWithout(place), WARM_UP_UNITS * PATIENCE_UNITS)) {
      return false;
    }
    cluster.atTransfer(asked -> donor = asked.number);
    cluster.restart(place);
    long end = scheduler.nowNanos() + suspect(PATIENCE_UNITS);
    while (donor < 0 && scheduler.nowNanos() < end && !broken) {
      scheduler.advance(end);
    }
    advance(scheduler.nowNanos() + random.nextLong(plan.delayNanosMax() + 1));
    View now = Objects.requireNonNull(cluster.latestPrimary());
    return donor >= 0 && now.size() == plan.nodes();
  }

  /// Whether all nodes but one are in one primary view.
  private boolean isWithout(int place) {
    List<SimulatedApplication> members = cluster.members();
    View first = members.isEmpty() ? null : members.getFirst().view();
    return first != null
        && first.primary()
        && first.size() == plan.nodes() - 1
        && members.stream().allMatch(member -> first.equals(member.view()) && member.hasState())
        && members.stream().noneMatch(member -> member.node.number == place);
  }

  /// Who has to go on, if they can.
  private List<Integer> mayGoOn(List<Integer> spared, View view) {
    List<MemberId> members =
        view.members().subList(0, view.voting()).stream().filter(member -> spared.contains(numberOf(member))).toList();
    return cluster.areQuorum(members) ? spared : List.of();
  }

  // ---- the group -------------------------------------------------------------------------------------------------

  /// All members multicast again and again.
  private void work() {
    if (working) {
      watch();
      long senders =
          cluster.members().stream()
              .filter(life -> life.view() != null && !life.node.isPaused())
              .filter(life -> life.multicast(payload(), Service.TOTAL))
              .count();
      if (senders == 0 && fault.isOfConsumers() && !leaves) {
        say("all windows are full"); // there is nothing to deliver
        Arrays.fill(deliveredAt, scheduler.nowNanos());
      }
      scheduler.after(plan.heartbeatNanos() / WORK_PER_HEARTBEAT, this::work);
    }
  }

  /// Bytes that no other message has, unless they are too short for that.
  private byte[] payload() {
    return bytes < LONG_BYTES_MIN ? new byte[bytes] : ByteBuffer.allocate(bytes).putLong(0, ++sent).array();
  }

  /// Takes down how long each has delivered nothing.
  private void watch() {
    if (scheduler.nowNanos() >= watchedFrom) {
      for (int place = 0; place < silence.length; place++) {
        silence[place] = Math.max(silence[place], scheduler.nowNanos() - deliveredAt[place]);
      }
    }
  }

  private boolean allDelivered(long since) {
    return Arrays.stream(deliveredAt).allMatch(nanos -> nanos > since);
  }

  /// Whether all nodes live and are in one primary view.
  private boolean isWhole() {
    List<SimulatedApplication> members = cluster.members();
    View first = members.isEmpty() ? null : members.getFirst().view();
    return first != null
        && first.primary()
        && first.size() == plan.nodes()
        && members.size() == plan.nodes()
        && members.stream().allMatch(member -> first.equals(member.view()) && !member.node.isPaused());
  }

  /// Whether all are in one view, and have been for some time.
  private boolean isQuiet() {
    return isWhole() && scheduler.nowNanos() - installedAt() >= suspect(QUIET_UNITS);
  }

  /// When somebody first installed a primary view, from an event on; 0 when all have stayed in the one before.
  private long primaryFrom(int event) {
    return history.events().subList(event, history.events().size()).stream()
        .filter(one -> one instanceof HistoryEvent.Installed installed && installed.view().primary())
        .mapToLong(one -> ((HistoryEvent.Installed) one).nanos())
        .findFirst()
        .orElse(0);
  }

  /// When all were in one view first, from a moment on. While links come back one by one, all may still be in the view
  /// before the fault, as nobody has noticed yet what is missing.
  private long wholeFrom(long nanos) {
    var views = new TreeMap<String, View>(); // by name, whichever life it is
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Installed(int member, long at, View view)) {
        if (at >= nanos && areWhole(views.values())) {
          return nanos;
        }
        views.put(history.members().get(member).name(), view);
        if (at >= nanos && areWhole(views.values())) {
          return at;
        }
      }
    }
    return areWhole(views.values()) ? nanos : Long.MAX_VALUE;
  }

  private boolean areWhole(Collection<View> views) {
    return views.size() == plan.nodes()
        && views.stream().allMatch(view -> view.size() == plan.nodes())
        && views.stream().map(View::id).distinct().count() == 1;
  }

  /// A view without some of the members that was installed after a moment.
  private Optional<View> lossSince(long nanos) {
    return history.events().reversed().stream()
        .filter(HistoryEvent.Installed.class::isInstance)
        .map(HistoryEvent.Installed.class::cast)
        .takeWhile(installed -> installed.nanos() > nanos)
        .map(HistoryEvent.Installed::view)
        .filter(view -> view.size() < plan.nodes())
        .findFirst();
  }

  /// A view of some nodes that one of them installed and another one is not in.
  private Optional<View> putOut(List<HistoryEvent> events, List<Integer> nodes) {
    return events.stream()
        .filter(HistoryEvent.Installed.class::isInstance)
        .map(installed -> ((HistoryEvent.Installed) installed).view())
        .filter(view -> {
          List<Integer> members = view.members().stream().map(this::numberOf).toList();
          return members.stream().anyMatch(nodes::contains) && !members.containsAll(nodes);
        })
        .findFirst();
  }

  /// When anybody installed a view last.
  private long installedAt() {
    return history.events().reversed().stream()
        .filter(HistoryEvent.Installed.class::isInstance)
        .mapToLong(installed -> ((HistoryEvent.Installed) installed).nanos())
        .findFirst()
        .orElse(0);
  }

  private String situation() {
    return cluster.members().stream()
        .map(member -> member.node.self.name() + " in " + member.view())
        .toList()
        .toString();
  }

  private int viewsSince(int from) {
    return idsSince(from).size();
  }

  private int agreedSince(int from) {
    return (int) idsSince(from).stream().filter(id -> id.alone() == 0).count();
  }

  private Set<ViewId> idsSince(int from) {
    var ids = new TreeSet<ViewId>();
    history.events().stream()
        .skip(from)
        .filter(HistoryEvent.Installed.class::isInstance)
        .forEach(installed -> ids.add(((HistoryEvent.Installed) installed).view().id()));
    return ids;
  }

  private int numberOf(MemberId member) {
    SimulatedNode node = cluster.find(member);
    return node == null ? -1 : node.number;
  }

  private SimulatedNode node(int place) {
    return cluster.living().stream().filter(node -> node.number == place).findFirst().orElseThrow();
  }

  private SimulatedApplication application(int place) {
    return find(place).orElseThrow();
  }

  private Stream<SimulatedApplication> voters() {
    return cluster.members().stream().filter(SimulatedApplication::votes);
  }

  private Optional<SimulatedApplication> find(int place) {
    return cluster.members().stream().filter(life -> life.node.number == place).findFirst();
  }

  private void say(String what) {
    if (setting.trace().speaks()) {
      setting.trace().say("--", what);
    }
  }

  // ---- time ------------------------------------------------------------------------------------------------------

  private long suspect(double times) {
    return (long) (plan.suspectNanos() * times);
  }

  private double inUnits(long nanos) {
    return (double) nanos / plan.suspectNanos();
  }

  private boolean await(BooleanSupplier what, int patienceUnits) {
    long until = scheduler.nowNanos() + suspect(patienceUnits);
    while (!what.getAsBoolean()) {
      if (broken || scheduler.nowNanos() >= until) {
        return false;
      }
      advance(scheduler.nowNanos() + plan.heartbeatNanos() / WORK_PER_HEARTBEAT);
    }
    return true;
  }

  private void advance(long untilNanos) {
    while (!broken && scheduler.advance(untilNanos)) {
      // All happens in the scheduler's entries.
    }
  }

  private void broken(SimulatedNode node, Throwable error) {
    if (error instanceof LinkageError) {
      throw (LinkageError) error; // a planted bug that does not fit, not a bug of the engine
    }
    broken = true;
    violations.add(new Violation("NoBrokenInvariant", node.self.name() + " stopped: " + error));
  }
}
