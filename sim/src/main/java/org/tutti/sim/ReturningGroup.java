package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.sim.check.Violation;
import org.tutti.user.Request;

/// One more group of all nodes, in some of the runs, whose members leave it and join it again in the same life while
/// they multicast. It goes through all that happens to the group of the [SimulatedCluster].
///
/// At any time: each position has one message, whoever delivers it, and each message one position; and a membership
/// delivers positions that rise. At rest, if there is a primary view: all who want to be in the group are in it, and
/// have delivered what they have multicast since they came.
final class ReturningGroup {
  private static final String GROUP = "returning";
  private static final int USED_ONE_IN = 4;
  private static final int ACTS_MAX = 100;
  private static final int LEAVES_ONE_IN = 4;
  private static final int PAUSE_UNITS = 2; // at most, between two memberships
  private static final int REST_UNITS = 40;
  private static final int VIOLATIONS_MAX = 5; // shown
  private static final long REST_NANOS = 1_000_000_000;

  /// A membership.
  private final class Member implements SimulatedMembership.Events {
    final SimulatedNode node;
    final SimulatedMembership its;
    final TreeSet<Long> said = new TreeSet<>();
    long last = -1; // position that it delivered
    @Nullable View view;
    private boolean leaving; // what it still delivers counts
    private boolean over;
    private long busyUntil; // the application's thread

    Member(SimulatedNode node) {
      this.node = node;
      this.its = new SimulatedMembership(node, GROUP, MemberConfig.standard(), this::later, this);
    }

    private void later(Runnable event) {
      long pause = random.nextLong(setting.plan().heartbeatNanos());
      busyUntil = Math.max(busyUntil, setting.scheduler().nowNanos() + pause);
      setting
          .scheduler()
          .at(
              busyUntil,
              () -> {
                if (node.isAlive()) {
                  event.run();
                }
              });
    }

    boolean isHere() {
      return node.isAlive() && !over && !leaving;
    }

    boolean isPrimary() {
      View in = view;
      return in != null && in.primary();
    }

    void leave() {
      leaving = true;
      node.request(new Request.Leave(GROUP, new End(End.Cause.LEFT, "to come back")), 0);
    }

    void multicast() {
      said.add(next);
      its.post(ByteBuffer.allocate(Long.BYTES).putLong(0, next++));
    }

    @Override
    public void viewed(View installed) {
      view = installed;
    }

    @Override
    public void delivered(MemberId sender, ByteBuffer message, long position) {
      long number = message.getLong();
      Long other = messages.putIfAbsent(position, number);
      Long place = places.putIfAbsent(number, position);
      if (other != null && other != number) {
        violate("SameMessage", this + " delivers " + number + " at " + position + ", others " + other);
      }
      if (place != null && place != position) {
        violate("SamePosition", this + " delivers " + number + " at " + position + ", others at " + place);
      }
      if (position <= last) {
        violate("RisingPositions", this + " delivers position " + position + " after " + last);
      }
      last = position;
    }

    /// It comes back if it has left, unless it is refused, as it has not left in order.
    @Override
    public void ended(End end) {
      over = true;
      if (leaving) {
        long pause = random.nextLong(PAUSE_UNITS * setting.plan().suspectNanos());
        setting
            .scheduler()
            .after(
                pause,
                () -> {
                  if (node.isAlive()) {
                    join(node);
                  }
                });
      }
    }

    @Override
    public String toString() {
      return node.self + " in " + view;
    }
  }

  private final Simulation.Setting setting;
  private final SplittableRandom random;
  private final GroupConfig config;
  private final boolean used;
  private final List<Member> members = new ArrayList<>(); // all memberships
  private final TreeMap<Long, Long> messages = new TreeMap<>(); // by position
  private final TreeMap<Long, Long> places = new TreeMap<>(); // by message
  private final List<Violation> violations = new ArrayList<>();
  private long next; // message
  private final int acts;
  private boolean founded;

  /// @param may whether it may be used at all
  ReturningGroup(Simulation.Setting setting, boolean may) {
    this.setting = setting;
    this.random = setting.streams().open(Streams.Purpose.RETURNING, 0);
    this.used = random.nextInt(USED_ONE_IN) == 0 && may;
    this.acts = random.nextInt(ACTS_MAX);
    this.config =
        GroupConfig.builder()
            .guarantee(Guarantee.UNIFORM)
            .partitions(Partitions.SUSPEND)
            .stateTransfer(false)
            .ordering(Plan.draw(random))
            .build();
  }

  /// A node has begun a life.
  void started(SimulatedNode node) {
    if (used && founded) {
      join(node);
    } else if (used) {
      founded = true;
      var founder = new Member(node);
      members.add(founder);
      founder.its.create(config, setting.scheduler().nowNanos());
    }
  }

  private void join(SimulatedNode node) {
    var member = new Member(node);
    members.add(member);
    member.its.join(false);
  }

  void begin() {
    if (used) {
      setting.scheduler().scatter(random, acts, setting.plan().safetyNanos(), this::act);
    }
  }

  private void act() {
    List<Member> here = here();
    if (here.isEmpty()) {
      return;
    }
    Member one = here.get(random.nextInt(here.size()));
    boolean others = here.stream().anyMatch(other -> other != one && other.isPrimary());
    if (random.nextInt(LEAVES_ONE_IN) == 0 && one.isPrimary() && others) {
      one.leave();
    } else {
      one.multicast();
    }
  }

  private List<Member> here() {
    return members.stream().filter(Member::isHere).toList();
  }

  private void violate(String property, String words) {
    if (violations.size() < VIOLATIONS_MAX) {
      violations.add(new Violation(property, words));
    }
  }

  // ---- the end ---------------------------------------------------------------------------------------------------

  /// How long it may take until it is at rest.
  long restNanos() {
    return REST_NANOS + REST_UNITS * setting.plan().suspectNanos();
  }

  /// Whether all are together, or nobody is in a primary view, which may be lost.
  boolean isTogether() {
    List<Member> here = here();
    return here.stream().noneMatch(Member::isPrimary)
        || Convergence.areTogether(
            here.stream().map(member -> member.node.self).toList(), here.stream().map(member -> member.view).toList());
  }

  /// All who are in a primary view multicast once more.
  void last() {
    here().stream().filter(Member::isPrimary).forEach(Member::multicast);
  }

  boolean isAtRest() {
    return violationsAtRest().isEmpty();
  }

  /// What did not hold at any time.
  List<Violation> violations() {
    return List.copyOf(violations);
  }

  /// What does not hold since [#last].
  List<Violation> violationsAtRest() {
    List<Member> here = here();
    if (!isTogether()) {
      return List.of(new Violation("AllComeBack", "not all are in one view: " + here));
    }
    List<Violation> found = new ArrayList<>();
    long latest = messages.isEmpty() ? -1 : messages.lastKey();
    for (Member member : here.stream().filter(Member::isPrimary).toList()) {
      if (!places.keySet().containsAll(member.said)) {
        found.add(new Violation("NothingLost", member + " multicast " + member.said + ", delivered are " + places));
      }
      if (member.last != latest) {
        found.add(new Violation("AllDelivered", member + " is at " + member.last + " of " + latest));
      }
    }
    return found;
  }
}
