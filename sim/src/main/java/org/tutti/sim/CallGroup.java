package org.tutti.sim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.tutti.GroupConfig;
import org.tutti.membership.Terms;
import org.tutti.replica.consolidation.Consistency;
import org.tutti.replica.consolidation.Consolidation;
import org.tutti.replica.consolidation.Quorum;
import org.tutti.sim.check.Role;
import org.tutti.sim.check.Violation;

/// One more group of all nodes, whose members call each other; it goes through all that happens to the group of the
/// [SimulatedCluster], and is in its domain.
final class CallGroup {
  private static final String GROUP = "calls";
  private static final int ACTS_MAX = 150;
  private static final int BURST_MAX = 8;
  private static final int REQUEST_BYTES_MAX = 300;
  private static final int OBSERVES_ONE_IN = 6; // nodes
  private static final int CALLS_ONE_IN = 2; // installations of a view
  private static final long REST_UNITS = 20;
  private static final Duration FOR_EVER = Duration.ofDays(1);

  /// Called when a member threw something.
  interface Breakage {
    void broken(SimulatedNode node, Throwable error);
  }

  private final Simulation.Setting setting;
  private final Breakage breakage;
  private final SplittableRandom random;
  private final GroupConfig config;
  private final CallOutcomes outcomes;
  private final List<CallMember> members = new ArrayList<>(); // all lives
  private final int acts;
  private boolean founded;
  private boolean expecting; // to come to rest

  CallGroup(Simulation.Setting setting, Breakage breakage) {
    this.setting = setting;
    this.breakage = breakage;
    this.random = setting.streams().open(Streams.Purpose.CALLS, 0);
    this.acts = random.nextInt(ACTS_MAX);
    GroupConfig main = setting.plan().config();
    this.config =
        GroupConfig.builder()
            .guarantee(main.guarantee())
            .stateTransfer(random.nextInt(3) > 0)
            .partitions(main.partitions())
            .domain(main.domain())
            .ordering(Plan.draw(random))
            .build();
    this.outcomes = new CallOutcomes(config);
  }

  /// A node has begun a life.
  void started(SimulatedNode node) {
    var member = new CallMember(setting, node, GROUP, outcomes, random.split(), breakage, this::changed);
    members.add(member);
    boolean drawn = setting.streams().open(Streams.Purpose.CALLS, node.number + 1).nextInt(OBSERVES_ONE_IN) == 0;
    boolean observes = founded && (drawn || setting.plan().role(node.number) == Role.OBSERVER);
    member.enter(new Terms(config, setting.plan().member(), observes), !founded);
    founded = true;
  }

  void begin() {
    setting.scheduler().scatter(random, acts, setting.plan().safetyNanos(), this::act);
  }

  private void act() {
    List<CallMember> living = living();
    if (!living.isEmpty()) {
      CallMember one = living.get(random.nextInt(living.size()));
      for (int calls = random.nextInt(3) == 0 ? random.nextInt(BURST_MAX) : 0; calls >= 0; calls--) {
        one.call(request(), rule());
      }
    }
  }

  /// Calls at a change are those that members miss, execute late, or answer where the caller is not.
  private void changed(CallMember member) {
    if (random.nextInt(CALLS_ONE_IN) == 0 && setting.scheduler().nowNanos() < setting.plan().safetyNanos()) {
      member.call(request(), Consolidation.all().consistent(Consistency.ANY).within(FOR_EVER));
    }
  }

  private ByteBuffer request() {
    byte[] bytes = new byte[1 + random.nextInt(REQUEST_BYTES_MAX)];
    random.nextBytes(bytes);
    bytes[0] = (byte) random.nextInt(CallMember.KINDS);
    return ByteBuffer.wrap(bytes);
  }

  private Consolidation rule() {
    int most = setting.plan().nodes();
    Quorum quorum =
        switch (random.nextInt(8)) {
          case 0 -> new Quorum.First();
          case 1 -> new Quorum.Last();
          case 2 -> new Quorum.Majority();
          case 3 -> new Quorum.Percentage(1 + random.nextInt(100));
          case 4 -> new Quorum.Equal(1 + random.nextInt(most));
          default -> new Quorum.All();
        };
    boolean equal = quorum instanceof Quorum.Equal;
    Consistency[] all = Consistency.values();
    Consistency consistency = equal ? Consistency.ANY : all[random.nextInt(all.length)];
    Set<String> keys = random.nextInt(6) == 0 ? Set.of(members.get(random.nextInt(members.size())).name()) : Set.of();
    long unit = setting.plan().suspectNanos();
    Duration deadline =
        random.nextInt(3) > 0 ? FOR_EVER : Duration.ofNanos(1 + (long) (6 * unit * random.nextDouble()));
    return new Consolidation(quorum, consistency, keys, deadline);
  }

  private List<CallMember> living() {
    return members.stream().filter(CallMember::isHere).toList();
  }

  /// Everybody calls all once more, to see that the group is at work.
  void last() {
    expecting = isTogether();
    for (CallMember member : living()) {
      member.last(
          ByteBuffer.wrap(new byte[] {CallMember.EQUAL}),
          Consolidation.all().consistent(Consistency.ANY).within(FOR_EVER));
    }
  }

  /// How long it may take until it is at rest.
  long restNanos() {
    return REST_UNITS * setting.plan().suspectNanos();
  }

  /// Whether the living are in one primary view with each other and nobody else.
  boolean isTogether() {
    List<CallMember> living = living();
    return Convergence.areTogether(
        living.stream().map(CallMember::self).toList(), living.stream().map(CallMember::view).toList());
  }

  /// Whether nothing is under way, or it is not known whether that is to be expected.
  boolean isAtRest() {
    return violationsAtRest().isEmpty();
  }

  /// What did not hold at any time.
  List<Violation> violations() {
    return outcomes.violations();
  }

  /// What does not hold although the living are together in a primary view since [#last].
  List<Violation> violationsAtRest() {
    List<Violation> found = new ArrayList<>();
    if (expecting && isTogether()) {
      for (CallMember member : living()) {
        if (!member.hasLast()) {
          found.add(new Violation("CallsReturn", member + " called all at the end: " + member.lastInWords()));
        }
        found.addAll(outcomes.open(member.self(), member.localNow()));
      }
    }
    return found;
  }
}
