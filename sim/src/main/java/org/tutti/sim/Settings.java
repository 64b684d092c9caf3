package org.tutti.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.Dissemination;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.Packing;
import org.tutti.Suspicion;
import org.tutti.membership.Terms;
import org.tutti.sim.check.Role;
import org.tutti.spi.NodeSettings;
import org.tutti.transport.Address;
import org.tutti.wire.Versions;

/// The settings of each member of a run. Where members may differ they do in most runs: sizes, packing, suspicion,
/// times, whom they ask; and what the group takes from its founder alone, others say differently: that must not matter.
///
/// What all members must have in common, and what the founder says, is in [Plan#config()]. All is drawn from streams of
/// its own.
public final class Settings {
  private static final int WINDOW_MIN = 64 << 10;
  private static final int LARGE_WINDOW_MIN = 256 << 10;
  private static final int WINDOW_MAX = 4 << 20;
  private static final int CATCH_UP_MAX = 1 << 20;
  private static final int HEARTBEATS_MIN = 3; // in a time of suspicion
  private static final int BOTH_WAYS_ONE_IN = 3;
  private static final int STATE_ONE_IN = 3;
  private static final int REFUTED_STREAMS = -100; // below those of [#keepsState]
  private static final int EXPECTED_STREAMS = -200;
  private static final int DISSEMINATION_STREAMS = -300;
  private static final int BEHIND_STREAMS = -400;
  private static final int VERSION_STREAMS = -500;
  private static final int MEMBER_VERSION_STREAMS = -600;
  private static final int LIMITED_ONE_IN = 3;
  private static final int MEMBER_LIMITED_ONE_IN = 8;
  private static final int LIMITED_LIVES_MAX = 4;
  private static final int PATIENT_ONE_IN = 3;
  private static final int SPARING_ONE_IN = 4;

  private final Plan plan;
  private final boolean[][] asks; // whom each place names as a contact
  private final String cluster;

  /// Draws the settings of a run.
  ///
  /// @param plan the run
  public Settings(Plan plan) {
    this.plan = plan;
    SplittableRandom random = stream(1);
    this.cluster = plan.mixed() ? "cluster-" + random.nextInt(1 << 20) : "tutti";
    this.asks = new boolean[plan.nodes()][plan.nodes()];
    boolean all = !plan.mixed() || random.nextBoolean();
    for (int a = 0; a < plan.nodes(); a++) {
      for (int b = 0; b < a; b++) {
        // One of any two knows of the other, and they find each other: one may know nobody at its start.
        boolean both = all || random.nextInt(BOTH_WAYS_ONE_IN) == 0;
        boolean first = random.nextBoolean();
        asks[a][b] = both || first;
        asks[b][a] = both || !first;
      }
    }
  }

  private SplittableRandom stream(int number) {
    return new Streams(plan.seed()).open(Streams.Purpose.SETTINGS, number);
  }

  private SplittableRandom ofPlace(int place, boolean node) {
    return stream(2 + 2 * place + (node ? 1 : 0));
  }

  /// The terms of a member.
  ///
  /// @param place  its place
  /// @param founds whether it founds the group
  /// @return the same each time
  public Terms terms(int place, boolean founds) {
    MemberConfig common = plan.member();
    if (!plan.mixed()) {
      return inRole(place, common);
    }
    SplittableRandom random = ofPlace(place, false);
    int windowMin = plan.has(FaultKind.LARGE_MESSAGE) ? LARGE_WINDOW_MIN : WINDOW_MIN;
    MemberConfig own =
        common.toBuilder()
            .windowBytes(Plan.between(random, windowMin, WINDOW_MAX))
            .batchBytesMax(Plan.between(random, 1 << 10, 64 << 10))
            .batchMessagesMax(Plan.between(random, 1, 4096))
            .catchUpBytesMax(Plan.between(random, 64 << 10, CATCH_UP_MAX))
            .suspicion(random.nextInt(4) == 0 ? Suspicion.REFUTABLE : common.suspicion())
            .refutedMax(Plan.refutedMax(stream(REFUTED_STREAMS - place)))
            .leaveWhenBehind(leavesWhenBehind(place) ? common.leaveWhenBehind() : Duration.ZERO)
            .spillBytesMax(spills(place) ? common.spillBytesMax() : 0)
            .packing(random.nextInt(3) == 0 ? Packing.natural() : common.packing())
            .dissemination(dissemination(place))
            .groupVersionMax(memberVersionMax(place))
            .build();
    return founds ? Terms.voter(plan.config(), own) : inRole(place, own);
  }

  private boolean leavesWhenBehind(int place) {
    return stream(BEHIND_STREAMS - place).nextInt(PATIENT_ONE_IN) > 0;
  }

  private boolean spills(int place) {
    return new Streams(plan.seed()).open(Streams.Purpose.SPILL, 1 + place).nextInt(SPARING_ONE_IN) > 0;
  }

  private Dissemination dissemination(int place) {
    return dissemination(plan, place);
  }

  /// How the multicasts of a place travel, in any group.
  static Dissemination dissemination(Plan plan, int place) {
    Dissemination[] all = Dissemination.values();
    var random = new Streams(plan.seed()).open(Streams.Purpose.SETTINGS, DISSEMINATION_STREAMS - place);
    return all[random.nextInt(all.length)];
  }

  private Terms inRole(int place, MemberConfig member) {
    Role role = plan.role(place);
    boolean observer = role == Role.OBSERVER || role == Role.STATELESS;
    return new Terms(plan.config(), member.toBuilder().takesState(role != Role.STATELESS).build(), observer);
  }

  /// What a member that joins expects of the group.
  ///
  /// @param place its place
  /// @return the same each time; null for nothing
  public @Nullable GroupConfig expected(int place) {
    SplittableRandom random = stream(EXPECTED_STREAMS - place);
    if (plan.role(place) == Role.MISTAKEN) {
      return otherThan(plan.config(), random);
    }
    return random.nextBoolean() ? plan.config() : null;
  }

  private static GroupConfig otherThan(GroupConfig group, SplittableRandom random) {
    GroupConfig.Builder other = group.toBuilder();
    switch (random.nextInt(3)) {
      case 0 -> other.stateTransfer(!group.stateTransfer());
      case 1 -> other.guarantee(group.guarantee() == Guarantee.UNIFORM ? Guarantee.AGREED : Guarantee.UNIFORM);
      default -> other.ordering(group.ordering() == Ordering.SEQUENCER ? Ordering.SKEEN : Ordering.SEQUENCER);
    }
    return other.build();
  }

  /// Whether a member's application keeps a state of its own on the disk and says where it stands
  /// ([MemberConfig#position()]). With state transfer all do: otherwise nobody has the state when all have ended.
  boolean keepsState(int place) {
    boolean must = !plan.mixed() || plan.config().stateTransfer();
    return must || stream(-1 - place).nextInt(STATE_ONE_IN) > 0;
  }

  /// The settings of a node.
  ///
  /// @param place     its place
  /// @param addresses of all places
  /// @return the same each time
  public NodeSettings node(int place, List<Address> addresses) {
    return node(place, addresses, 0);
  }

  /// The settings of a node that was started before.
  ///
  /// @param place     its place
  /// @param addresses of all places
  /// @param lives     how many lives it had before this one
  /// @return the same each time
  NodeSettings node(int place, List<Address> addresses, long lives) {
    SplittableRandom random = ofPlace(place, true);
    long heartbeat = plan.heartbeatNanos();
    long suspect = plan.suspectNanos();
    if (plan.mixed()) {
      // Nobody is suspected whose packets come in time: the longest heartbeat is short against the shortest patience.
      long shortest = Math.max(HEARTBEATS_MIN * heartbeat, suspect * 2 / 3);
      suspect = shortest + (long) ((suspect - shortest) * random.nextDouble());
      heartbeat = heartbeat / 2 + (long) (heartbeat / 2 * random.nextDouble());
    }
    List<Address> contacts = new ArrayList<>();
    for (int other = 0; other < addresses.size(); other++) {
      if (other == place || asks[place][other]) {
        contacts.add(addresses.get(other));
      }
    }
    return Node.named(plan.nameOf(place))
        .cluster(cluster)
        .contacts(contacts)
        .times(Duration.ofNanos(heartbeat), Duration.ofNanos(suspect))
        .groupVersionMax(groupVersionMax(place, lives))
        .settings();
  }

  /// Some members keep their groups where they are, in any life.
  private int memberVersionMax(int place) {
    SplittableRandom random = stream(MEMBER_VERSION_STREAMS - place);
    boolean limited = plan.has(FaultKind.UPGRADE) && random.nextInt(MEMBER_LIMITED_ONE_IN) == 0;
    return limited ? Versions.OWN.newest() + random.nextInt(2) : Versions.MAX;
  }

  /// Where nodes are upgraded some keep the way back open, until they have been started again a few times.
  private int groupVersionMax(int place, long lives) {
    SplittableRandom random = stream(VERSION_STREAMS - place);
    int most = Versions.OWN.newest() + random.nextInt(2);
    boolean limited = random.nextInt(LIMITED_ONE_IN) == 0 && lives <= random.nextInt(LIMITED_LIVES_MAX);
    return plan.has(FaultKind.UPGRADE) && limited ? most : Versions.MAX;
  }
}
