package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.membership.Terms;
import org.tutti.sim.check.ExchangeHistory;
import org.tutti.sim.check.LocalCallOrder;
import org.tutti.sim.check.PropagateAgreement;
import org.tutti.sim.check.Role;
import org.tutti.sim.check.Violation;
import org.tutti.sim.check.WhiteboardConvergence;
import org.tutti.sim.check.WhiteboardValues;

/// One more group of all nodes, in half of the runs: its members put values on its whiteboard, propagate,
/// call locally, and multicast a little. It goes through all that happens to the group of the [SimulatedCluster], and
/// is in its domain.
final class ExchangeGroup {
  private static final String GROUP = "forum";
  private static final int ACTS_MAX = 120;
  private static final int PUTS_MAX = 4;
  private static final int PROPAGATE_ALL_OF = 8; // all members but one of so many
  private static final long REST_UNITS = 20;
  private static final long REST_NANOS = 1_000_000_000; // a value waits for a while for something to travel with

  private final Simulation.Setting setting;
  private final SplittableRandom random;
  private final GroupConfig config;
  private final ExchangeHistory exchanges;
  private final boolean used;
  private final boolean observersMay;
  private final List<ExchangeMember> participants = new ArrayList<>();
  private final int acts;
  private boolean founded;
  private boolean expecting; // to come to rest

  /// @param may whether it may be used at all
  ExchangeGroup(Simulation.Setting setting, boolean may) {
    this.setting = setting;
    this.random = setting.streams().open(Streams.Purpose.EXCHANGE, 0);
    GroupConfig main = setting.plan().config();
    this.used = random.nextBoolean() && may;
    this.acts = random.nextInt(ACTS_MAX);
    this.config =
        GroupConfig.builder()
            .guarantee(main.guarantee())
            .stateTransfer(false)
            .partitions(main.partitions())
            .domain(main.domain())
            .ordering(Plan.draw(random))
            .build();
    this.exchanges = new ExchangeHistory(config);
    this.observersMay = setting.plan().seed() % 2 == 0;
  }

  /// A node has begun a life.
  void started(SimulatedNode node) {
    if (used) {
      var participant = new ExchangeMember(setting, node, GROUP, exchanges, random);
      participants.add(participant);
      boolean observes = founded && setting.plan().role(node.number) == Role.OBSERVER && observersMay;
      participant.enter(new Terms(config, MemberConfig.standard(), observes), !founded);
      founded = true;
    }
  }

  void begin() {
    if (used) {
      setting.scheduler().scatter(random, acts, setting.plan().safetyNanos(), this::act);
    }
  }

  private void act() {
    List<ExchangeMember> living = living();
    if (living.isEmpty()) {
      return;
    }
    ExchangeMember one = living.get(random.nextInt(living.size()));
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        for (int puts = random.nextInt(PUTS_MAX); puts >= 0; puts--) {
          one.put();
        }
      }
      case 2 -> {
        for (ExchangeMember participant : living) {
          if (random.nextInt(PROPAGATE_ALL_OF) > 0) {
            participant.propagate();
          }
        }
      }
      case 3 -> one.propagate();
      case 4 -> one.call();
      default -> one.multicast();
    }
  }

  private List<ExchangeMember> living() {
    return participants.stream().filter(ExchangeMember::isHere).toList();
  }

  /// Everybody once more, to see that the group is at work. What was put long ago is still to be read.
  void last() {
    expecting = isTogether();
    for (ExchangeMember participant : living()) {
      participant.multicast();
      participant.propagate();
      participant.call();
    }
  }

  /// A value that finds nothing to travel with.
  void afterthought() {
    List<ExchangeMember> living = living();
    if (!living.isEmpty() && random.nextBoolean()) {
      living.get(random.nextInt(living.size())).put();
    }
  }

  /// How long it may take until it is at rest.
  long restNanos() {
    return REST_NANOS + REST_UNITS * setting.plan().suspectNanos();
  }

  /// Whether the living are in one primary view with each other and nobody else, or there is no such group.
  boolean isTogether() {
    return !used || isTogether(living());
  }

  /// Whether nothing is under way.
  boolean isAtRest() {
    return violationsAtRest().isEmpty();
  }

  /// What did not hold at any time.
  List<Violation> violations() {
    List<Violation> found = new ArrayList<>(WhiteboardValues.check(exchanges));
    found.addAll(PropagateAgreement.check(exchanges));
    found.addAll(LocalCallOrder.check(exchanges));
    return found;
  }

  /// What does not hold although the living are together in a primary view since [#last]. This group may have lost its
  /// quorum where that of the cluster has not; then nothing is expected.
  List<Violation> violationsAtRest() {
    List<ExchangeMember> living = living();
    if (!expecting || !isTogether(living)) {
      return List.of();
    }
    List<Integer> lives = living.stream().map(ExchangeMember::life).toList();
    List<Violation> found = new ArrayList<>(WhiteboardConvergence.check(exchanges, lives));
    found.addAll(LocalCallOrder.unanswered(exchanges, lives));
    int byAll = living.stream().mapToInt(ExchangeMember::spoken).min().orElse(0); // rounds; who is in a later one waits
    for (ExchangeMember participant : living) {
      if (participant.isPropagating() && participant.spoken() <= byAll) {
        found.add(
            new Violation("PropagateReturns", participant + " propagates, as do all others in " + participant.view()));
      }
    }
    return found;
  }

  private static boolean isTogether(List<ExchangeMember> living) {
    return Convergence.areTogether(
        living.stream().map(ExchangeMember::self).toList(), living.stream().map(ExchangeMember::view).toList());
  }
}
