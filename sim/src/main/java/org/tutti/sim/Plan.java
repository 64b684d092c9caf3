package org.tutti.sim;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Packing;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import org.tutti.Suspicion;
import org.tutti.membership.Electorate;
import org.tutti.membership.Founding;
import org.tutti.sim.check.Role;

/// The configuration of one run, drawn from its seed (swarm testing): some runs have none of a kind of fault, some have
/// a lot of it, few have everything at once.
///
/// @param seed            the run's seed, of which all else follows
/// @param nodes           how many nodes there are
/// @param config          the group's configuration
/// @param member          what its members decide for themselves, where they are all alike
/// @param heartbeatNanos  the nodes' heartbeat
/// @param suspectNanos    the silence after which a node is suspected; the unit of time of the fault plan
/// @param frameBytesMax   the transport's largest frame
/// @param retransmitNanos the transport's retransmission time
/// @param lineNanosPerByte how long a line takes to carry a byte; 0: what is sent at once travels at once
/// @param delayNanosMin   the shortest way of a frame
/// @param delayNanosMax   the longest way of an ordinary frame
/// @param turnNanosMax    how long a node may take before it handles what has arrived
/// @param safetyNanos     how long the phase with faults lasts
/// @param multicasts      how many messages are multicast at most
/// @param messageBytesMax the longest ordinary message
/// @param stateBytes      how long an application's state is, about
/// @param guarded         whether crashes spare what the group needs to go on
/// @param splits          whether the links are cut by all shapes in turn, and not now and then
/// @param mixed           whether members have settings of their own ([Settings]), and not all the same ones
/// @param observed        whether some members are observers ([#role])
/// @param serves          whether a service is replicated on all nodes, and has clients
/// @param calls           whether all nodes are in one more group, whose members call each other
/// @param connected       whether the transports have connections, which stay mute for some time after a cut
/// @param strengths       how strong each kind of fault is, above 0 to 1; absent kinds are off
public record Plan(
    long seed,
    int nodes,
    GroupConfig config,
    MemberConfig member,
    long heartbeatNanos,
    long suspectNanos,
    int frameBytesMax,
    long retransmitNanos,
    long lineNanosPerByte,
    long delayNanosMin,
    long delayNanosMax,
    long turnNanosMax,
    long safetyNanos,
    int multicasts,
    int messageBytesMax,
    int stateBytes,
    boolean guarded,
    boolean splits,
    boolean mixed,
    boolean observed,
    boolean serves,
    boolean calls,
    boolean connected,
    Map<FaultKind, Double> strengths) {
  private static final int[] NODES = {1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 7, 7};
  private static final int[] FRAME_BYTES = {512, 600, 1400, 1400, 8192, 65536, 65536};
  private static final List<Ordering> ORDERINGS = List.of(Ordering.values());
  private static final long MILLI = 1_000_000;
  private static final int STORM_ONE_IN = 3;
  private static final double STORM_STRENGTH = 1.0;
  private static final int SWITCH_ONE_IN = 4;
  private static final int LAG_ONE_IN = 3;
  private static final double LAG_STRENGTH_MIN = 0.3;
  private static final int OVERLAP_ONE_IN = 5;
  private static final int OVERLAP_NODES_MIN = 5;
  private static final int ELECTORATE_ONE_IN = 6;
  private static final int BOTH_ONE_IN = 3; // of runs with an electorate
  private static final double UPGRADE_CRASH_STRENGTH = 0.6;
  private static final int SPLIT_NODES_MIN = 3;
  private static final int SPLIT_NODES_MAX = 7;
  private static final double MAJORITY_CRASH_STRENGTH = 0.4;
  private static final int SPLIT_UNITS_MIN = 20; // a few splits, each with its merge
  private static final double SPLIT_CRASH_STRENGTH = 0.05; // besides those of a smaller side
  private static final int CUTS_UNITS = 64; // times of suspicion, and half of one from one cut to the next
  private static final double CUTS_STRENGTH = 10;
  private static final int THIN_NODES_MAX = 4;
  private static final int THIN_FRAME_BYTES_MAX = 1400;
  private static final int THIN_LARGE_UNITS = 2; // times of suspicion, at least, that a long message takes on the line
  private static final int THIN_RETRANSMIT_FRAMES = 4; // of the largest, that a line carries in that time, at least
  private static final int THIN_UNITS = 40;
  private static final int THIN_MULTICASTS = 60;
  private static final int THIN_MESSAGE_BYTES_MAX = 64;
  private static final int THIN_STATE_BYTES_MAX = 5000;
  private static final int LARGE_WINDOW_BYTES_MIN = 256 << 10;
  private static final int QUICK_WAY = 50; // of them make a time of suspicion, in runs of recovery
  private static final int CONTINUE_ONE_IN = 2;
  private static final int DURABLE_ONE_IN = 2; // of those without domain and branches
  private static final double BLACKOUT_STRENGTH_MAX = 0.4;
  private static final int REFUTABLE_ONE_IN = 4;
  private static final int REFUTED_MAX = 8; // times of suspicion; a fault of a run of recovery may last longer
  private static final int UNNATURAL_ONE_IN = 3;
  private static final int NAMESAKE_ONE_IN = 6;
  private static final int ALIKE_ONE_IN = 3;
  private static final int STRANGERS_ONE_IN = 2; // of runs with an electorate
  private static final int ROLE_CUT_ONE_IN = 5;
  private static final int SLOW_HEAL_ONE_IN = 3;
  private static final int FORCE_ONE_IN = 2; // of durable runs
  private static final int UPGRADE_ONE_IN = 3;
  private static final int DISK_FULL_ONE_IN = 2; // of durable runs
  private static final int JOINT_ONE_IN = 4;
  private static final int COUNT_ONE_IN = 2; // of those that are founded together
  private static final int OBSERVED_ONE_IN = 3;
  private static final int MISTAKEN_ONE_IN = 4;
  private static final int STATELESS_ONE_IN = 3;
  private static final long CERTIFICATE_STREAMS = 1L << 20;
  private static final int BARRED_ONE_IN = 4; // of those that do not vote
  private static final int CERTIFIED_ONE_IN = 2; // of the others of those
  private static final int STUCK_ONE_IN = 4;
  private static final int BEHIND_ONE_IN = 4;
  private static final double BEHIND_MIN = 0.3; // in times of suspicion
  private static final double BEHIND_MAX = 2;
  private static final int SPILL_ONE_IN = 3;
  private static final int SPILL_MIB_MAX = 64;
  private static final int SPILL_WINDOW_BYTES = 64 << 10;
  private static final int SPILL_MULTICASTS_MIN = 200;
  private static final int SPILL_MESSAGE_BYTES_MIN = 2000;
  private static final double SPILL_CRASH_STRENGTH = 0.5;
  private static final int SERVES_ONE_IN = 8;
  private static final int CONNECTED_ONE_IN = 3;
  private static final int SERVICE_SPARED_ONE_IN = 3;
  private static final Set<FaultKind> NOT_OF_SERVICES =
      EnumSet.of(
          FaultKind.SLOW_CONSUMER,
          FaultKind.STATE_TROUBLE,
          FaultKind.LARGE_MESSAGE,
          FaultKind.SWITCH,
          FaultKind.BLACKOUT,
          FaultKind.TORN_WRITE,
          FaultKind.DISK_LOSS,
          FaultKind.DISK_FULL,
          FaultKind.FORCE,
          FaultKind.UPGRADE,
          FaultKind.NAMESAKE);
  private static final int PACKING_DEGREE_MAX = 64;
  private static final int PACKING_DELAY_MICROS_MAX = 20_000;
  private static final int PACKING_INTERVAL_MILLIS_MAX = 500;

  /// Copies the strengths.
  public Plan {
    strengths = strengths.isEmpty() ? new EnumMap<>(FaultKind.class) : new EnumMap<>(strengths);
  }

  /// Draws a run's configuration.
  ///
  /// @param seed the run's seed
  /// @return the configuration
  public static Plan draw(long seed) {
    return draw(seed, packing(new Streams(seed).open(Streams.Purpose.PACKING, 0)), true);
  }

  /// Draws a run's configuration but for the packing, with members that are all configured in the same way.
  static Plan drawAlike(long seed, Packing packing) {
    return draw(seed, packing, false);
  }

  /// Draws the configuration of a run of which a replicated service and its clients are all. In most of these runs
  /// replicas end and come back, or come late, so that states are transferred.
  ///
  /// @param seed     the run's seed
  /// @param replicas how many there are
  /// @return the configuration
  public static Plan drawOfService(long seed, int replicas) {
    Plan drawn = draw(seed);
    Map<FaultKind, Double> faults = new EnumMap<>(drawn.strengths);
    faults.keySet().removeAll(NOT_OF_SERVICES);
    SplittableRandom random = new Streams(seed).open(Streams.Purpose.REPLICA, Long.MIN_VALUE);
    for (FaultKind kind : List.of(FaultKind.CRASH, FaultKind.RESTART, FaultKind.LATE_JOIN, FaultKind.PARTITION)) {
      double strength = random.nextDouble();
      if (random.nextInt(SERVICE_SPARED_ONE_IN) > 0) {
        faults.putIfAbsent(kind, strength);
      }
    }
    GroupConfig group =
        drawn.config.toBuilder()
            .domain(null)
            .primaryViews(PrimaryViews.DYNAMIC_LINEAR)
            .electorate(Set.of())
            .partitions(Partitions.SUSPEND)
            .durability(Durability.NONE)
            .build();
    return drawn.with(replicas, group, false, faults);
  }

  private static Plan draw(long seed, Packing packing, boolean mayMix) {
    var streams = new Streams(seed);
    SplittableRandom random = streams.open(Streams.Purpose.PLAN, 0);
    long heartbeat = between(random, 10, 120) * MILLI;
    long suspect = heartbeat * random.nextInt(3, 11);
    // Without faults nobody may be suspected: the way of a frame and the turn of a node are short against the silence.
    long delayMin = between(random, 0, (int) Math.min(2000, suspect / 20_000)) * 1000L;
    long delayMax = delayMin + between(random, 1, random.nextInt(4) == 0 ? (int) (suspect / 8000) : 4000) * 1000L;
    delayMax = Math.min(delayMax, suspect / 8);
    Map<FaultKind, Double> strengths = strengths(random);
    SplittableRandom orderings = streams.open(Streams.Purpose.ORDERING, 0);
    if (orderings.nextInt(SWITCH_ONE_IN) == 0) {
      strengths.put(FaultKind.SWITCH, orderings.nextDouble());
    }
    Ordering ordering = draw(orderings);
    String domain = orderings.nextInt(OVERLAP_ONE_IN) == 0 ? Overlap.DOMAIN : null;
    drawLag(orderings, strengths);
    boolean goesOn = streams.open(Streams.Purpose.PARTITIONS, 0).nextInt(CONTINUE_ONE_IN) == 0;
    Durability durability = durability(streams.open(Streams.Purpose.STORAGE, 0), domain == null && !goesOn, strengths);
    SplittableRandom settings = streams.open(Streams.Purpose.SETTINGS, 0);
    boolean mixed = mayMix && settings.nextInt(ALIKE_ONE_IN) > 0;
    boolean observed = mayMix && streams.open(Streams.Purpose.ROLE, 0).nextInt(OBSERVED_ONE_IN) == 0;
    boolean strangers = mayMix && settings.nextInt(STRANGERS_ONE_IN) == 0;
    if (mayMix) {
      drawLater(settings, durability != Durability.NONE, strengths);
    }
    boolean serves = mayMix && streams.open(Streams.Purpose.REPLICA, Long.MAX_VALUE).nextInt(SERVES_ONE_IN) == 0;
    drawUpgrade(streams, mayMix, strengths);
    drawForce(streams, mayMix && durability != Durability.NONE && !serves, strengths);
    int frameBytesMax = FRAME_BYTES[random.nextInt(FRAME_BYTES.length)];
    int nodes = NODES[random.nextInt(NODES.length)];
    Set<String> electorate =
        electorate(streams.open(Streams.Purpose.ELECTORATE, 0), nodes, strangers ? settings : null);
    names(streams.open(Streams.Purpose.NAMES, 0), nodes, strengths);
    MemberConfig.Builder member = member(streams, packing, suspect);
    var group =
        GroupConfig.builder()
            .ordering(ordering)
            .domain(domain)
            .electorate(electorate)
            .primaryViews(primaryViews(streams.open(Streams.Purpose.ELECTORATE, 2), electorate))
            .partitions(goesOn ? Partitions.CONTINUE : Partitions.SUSPEND)
            .durability(durability);
    drawInto(group, member, random, strengths.containsKey(FaultKind.LARGE_MESSAGE));
    return new Plan(
        seed,
        nodes,
        group.build(),
        member.build(),
        heartbeat,
        suspect,
        frameBytesMax,
        Math.max(4 * delayMax, between(random, 5, 200) * MILLI),
        0,
        delayMin,
        delayMax,
        random.nextInt(3) == 0 ? 0 : Math.min(between(random, 1, 3000) * 1000L, suspect / 20),
        suspect * random.nextInt(8, 32),
        random.nextInt(8) == 0 ? random.nextInt(4) : between(random, 10, 300),
        random.nextInt(4) == 0 ? 0 : between(random, 1, frameBytesMax < 1000 ? 1000 : 3000),
        between(random, 0, frameBytesMax < 1000 ? 20_000 : 200_000),
        random.nextInt(10) > 0,
        false,
        mixed,
        observed,
        serves,
        false,
        mayMix && streams.open(Streams.Purpose.CONNECTION, 0).nextInt(CONNECTED_ONE_IN) == 0,
        strengths);
  }

  private static MemberConfig.Builder member(Streams streams, Packing packing, long suspectNanos) {
    return MemberConfig.builder()
        .packing(packing)
        .suspicion(suspicion(streams.open(Streams.Purpose.ELECTORATE, 1)))
        .refutedMax(refutedMax(streams.open(Streams.Purpose.ELECTORATE, 3)))
        .leaveWhenBehind(leaveWhenBehind(streams.open(Streams.Purpose.SETTINGS, Long.MAX_VALUE), suspectNanos))
        .spillBytesMax(spillBytesMax(streams.open(Streams.Purpose.SPILL, 0)));
  }

  /// How far an application may be behind: mostly as far as it wants, else about as long as some are slow.
  private static Duration leaveWhenBehind(SplittableRandom random, long suspectNanos) {
    double times = BEHIND_MIN + (BEHIND_MAX - BEHIND_MIN) * random.nextDouble();
    long nanos = Math.max(10 * MILLI, (long) (suspectNanos * times));
    return random.nextInt(BEHIND_ONE_IN) == 0 ? Duration.ofNanos(nanos) : Duration.ZERO;
  }

  /// How much of what an application does not take is spilled: mostly nothing.
  private static long spillBytesMax(SplittableRandom random) {
    long bytes = (1L << 20) * (1 + random.nextInt(SPILL_MIB_MAX));
    return random.nextInt(SPILL_ONE_IN) == 0 ? bytes : 0;
  }

  /// In some runs two processes have one name.
  private static void names(SplittableRandom random, int nodes, Map<FaultKind, Double> strengths) {
    double strength = random.nextDouble();
    if (nodes > 2 && random.nextInt(NAMESAKE_ONE_IN) == 0) {
      strengths.put(FaultKind.NAMESAKE, strength);
    }
  }

  /// Whether all nodes found the group together, in some runs, instead of the first one alone.
  boolean isJoint() {
    return new Streams(seed).open(Streams.Purpose.NAMES, 2).nextInt(JOINT_ONE_IN) == 0;
  }

  /// Whom the nodes expect: each other by their names, or, in some runs, as many as are a majority of the names.
  Founding founding() {
    return founding(new Streams(seed).open(Streams.Purpose.NAMES, 3).nextInt(COUNT_ONE_IN) == 0);
  }

  /// The same, by their names or by a number.
  Founding founding(boolean counts) {
    return counts ? Founding.of(names().size() / 2 + 1) : new Founding(names());
  }

  /// The names of the nodes that vote, but for the one that has another one's name.
  private Set<String> names() {
    var names = new TreeSet<String>();
    for (int place = 0; place < nodes; place++) {
      if (role(place) == Role.VOTER && !isNamesake(place)) {
        names.add(nameOf(place));
      }
    }
    return names;
  }

  /// As what the node at a place takes part, at all of its starts. The founder votes, and those of whom a primary view
  /// needs a majority.
  Role role(int place) {
    SplittableRandom random = new Streams(seed).open(Streams.Purpose.ROLE, 1 + place);
    if (!observed || place == 0 || config.electorate().contains(nameOf(place)) || random.nextBoolean()) {
      return Role.VOTER;
    }
    if (hasCertificates() && !isDurable() && certificates(place).nextInt(BARRED_ONE_IN) == 0) {
      return Role.BARRED;
    }
    if (random.nextInt(MISTAKEN_ONE_IN) == 0) {
      return Role.MISTAKEN;
    }
    return config.stateTransfer() && random.nextInt(STATELESS_ONE_IN) == 0 ? Role.STATELESS : Role.OBSERVER;
  }

  /// Whether the certificate of the node at a place lets it vote, at all of its starts. Those of some observers do not.
  boolean mayVote(int place) {
    return switch (role(place)) {
      case VOTER, MISTAKEN -> true;
      case OBSERVER, STATELESS -> !hasCertificates() || certificates(place).nextLong() % CERTIFIED_ONE_IN != 0;
      case BARRED -> false;
    };
  }

  /// A certificate is of a node, which is in no group then in which all nodes have to vote, or serve.
  private boolean hasCertificates() {
    return observed && !serves && !calls && !overlaps();
  }

  private SplittableRandom certificates(int place) {
    return new Streams(seed).open(Streams.Purpose.ROLE, CERTIFICATE_STREAMS + place);
  }

  /// Whether the application at a place takes nothing any more from some moment on, to the end: an observer's may.
  boolean isStuck(int place) {
    boolean stuck = new Streams(seed).open(Streams.Purpose.ROLE, -1 - place).nextInt(STUCK_ONE_IN) == 0;
    return stuck && role(place) != Role.VOTER;
  }

  /// Whether another place has the name of a place, which is the later one.
  boolean isNamesake(int place) {
    return !nameOf(place).equals("n" + place);
  }

  /// The name of the node at a place: its own, or with namesakes that of another one for the last place.
  String nameOf(int place) {
    boolean namesake = has(FaultKind.NAMESAKE) && nodes > 2 && place == nodes - 1;
    int as = new Streams(seed).open(Streams.Purpose.NAMES, 1).nextInt(Math.max(1, nodes - 1));
    return "n" + (namesake ? as : place);
  }

  /// Whether the group's members keep what they know on their disks.
  boolean isDurable() {
    return config.durability() != Durability.NONE;
  }

  /// Whether the replicated service survives the end of all processes, too: in two of three runs with disks.
  boolean keepsService() {
    return isDurable() && new Streams(seed).open(Streams.Purpose.REPLICA, Long.MAX_VALUE - 1).nextInt(3) > 0;
  }

  /// Whether disks may lose what was not forced.
  boolean losesPower() {
    return config.durability() == Durability.EACH;
  }

  /// In some runs of those in which it is possible; with the faults that belong to it.
  private static Durability durability(SplittableRandom random, boolean possible, Map<FaultKind, Double> strengths) {
    if (!possible || random.nextInt(DURABLE_ONE_IN) > 0) {
      return Durability.NONE;
    }
    Durability durability = random.nextInt(3) == 0 ? Durability.VIEWS : Durability.EACH;
    if (random.nextInt(3) > 0) {
      strengths.put(FaultKind.BLACKOUT, BLACKOUT_STRENGTH_MAX * random.nextDouble());
    }
    if (random.nextInt(3) > 0) {
      strengths.put(FaultKind.TORN_WRITE, random.nextDouble());
    }
    if (random.nextBoolean()) {
      strengths.put(FaultKind.DISK_LOSS, random.nextDouble());
    }
    if (random.nextBoolean()) {
      strengths.putIfAbsent(FaultKind.CRASH, random.nextDouble());
      strengths.putIfAbsent(FaultKind.RESTART, random.nextDouble());
    }
    return durability;
  }

  /// The kinds of faults that are drawn from a stream of their own, so that all others stay what they are.
  private static void drawLater(SplittableRandom random, boolean durable, Map<FaultKind, Double> strengths) {
    for (FaultKind kind : List.of(FaultKind.DEAF, FaultKind.MUTE)) {
      double strength = random.nextDouble();
      if (random.nextInt(ROLE_CUT_ONE_IN) == 0) {
        strengths.put(kind, strength);
      }
    }
    double slow = random.nextDouble();
    if (random.nextInt(SLOW_HEAL_ONE_IN) == 0) {
      strengths.put(FaultKind.SLOW_HEAL, slow);
    }
    double full = random.nextDouble();
    if (random.nextInt(DISK_FULL_ONE_IN) == 0 && durable) {
      strengths.put(FaultKind.DISK_FULL, full);
    }
  }

  /// In some runs what a node sends arrives late at some others.
  private static void drawLag(SplittableRandom random, Map<FaultKind, Double> strengths) {
    if (random.nextInt(LAG_ONE_IN) == 0) {
      strengths.put(FaultKind.LAG, LAG_STRENGTH_MIN + (1 - LAG_STRENGTH_MIN) * random.nextDouble());
    }
  }

  /// In some runs nodes are upgraded.
  private static void drawUpgrade(Streams streams, boolean possible, Map<FaultKind, Double> strengths) {
    SplittableRandom random = streams.open(Streams.Purpose.UPGRADE, 0);
    if (possible && random.nextInt(UPGRADE_ONE_IN) == 0) {
      strengths.put(FaultKind.UPGRADE, random.nextDouble());
    }
  }

  /// In some runs an operator forces a member.
  private static void drawForce(Streams streams, boolean possible, Map<FaultKind, Double> strengths) {
    SplittableRandom random = streams.open(Streams.Purpose.FORCE, 0);
    if (possible && random.nextInt(FORCE_ONE_IN) == 0) {
      strengths.put(FaultKind.FORCE, random.nextDouble());
    }
  }

  /// Whether there are more groups, which overlap.
  boolean overlaps() {
    return config.domain() != null;
  }

  /// In some runs, some of the nodes; now and then with names that no node has.
  private static Set<String> electorate(SplittableRandom random, int nodes, @Nullable SplittableRandom strangers) {
    var names = new TreeSet<String>();
    if (random.nextInt(ELECTORATE_ONE_IN) == 0) {
      int size = random.nextInt(nodes) + 1;
      while (names.size() < size) {
        names.add("n" + random.nextInt(nodes));
      }
      int others = strangers == null ? 0 : strangers.nextInt(size); // fewer than those that are here
      for (int i = 0; i < others; i++) {
        names.add("stranger-" + i);
      }
    }
    return names;
  }

  /// What goes with an electorate, or without one.
  static PrimaryViews primaryViews(SplittableRandom random, Set<String> electorate) {
    boolean both = random.nextInt(BOTH_ONE_IN) == 0;
    if (electorate.isEmpty()) {
      return PrimaryViews.DYNAMIC_LINEAR;
    }
    return both ? PrimaryViews.BOTH : PrimaryViews.STATIC_MAJORITY;
  }

  /// Natural packing in most runs, another policy with numbers of all sizes in the others.
  private static Packing packing(SplittableRandom random) {
    if (random.nextInt(UNNATURAL_ONE_IN) > 0) {
      return Packing.natural();
    }
    var delayMax = Duration.ofNanos(between(random, 0, PACKING_DELAY_MICROS_MAX) * 1000L);
    return random.nextBoolean()
        ? Packing.fixed(between(random, 1, PACKING_DEGREE_MAX), delayMax)
        : Packing.hillClimb(
            Duration.ofMillis(between(random, 1, PACKING_INTERVAL_MILLIS_MAX)),
            between(random, 1, PACKING_DEGREE_MAX),
            between(random, 1, 64 << 10),
            delayMax);
  }

  /// How long a member leaves one in the view for the others' word, in times of suspicion.
  static int refutedMax(SplittableRandom random) {
    return between(random, 1, REFUTED_MAX);
  }

  private static Suspicion suspicion(SplittableRandom random) {
    return random.nextInt(REFUTABLE_ONE_IN) == 0 ? Suspicion.REFUTABLE : Suspicion.STABLE;
  }

  /// Whether some members may be a primary view by their names.
  boolean mayBePrimary(Collection<MemberId> members) {
    return new Electorate(config.electorate()).allows(members);
  }

  /// Draws an ordering.
  static Ordering draw(SplittableRandom random) {
    return ORDERINGS.get(random.nextInt(ORDERINGS.size()));
  }

  /// A number of which each order of magnitude is about as probable as another.
  static int between(SplittableRandom random, int min, int max) {
    double exponent = random.nextDouble() * Math.log((max + 1.0) / (min + 1.0));
    return Math.clamp((long) ((min + 1) * Math.exp(exponent)) - 1, min, max);
  }

  private static void drawInto(
      GroupConfig.Builder group, MemberConfig.Builder member, SplittableRandom random, boolean large) {
    member.windowBytes(between(random, large ? LARGE_WINDOW_BYTES_MIN : 64 << 10, 4 << 20));
    group.guarantee(random.nextInt(4) == 0 ? Guarantee.AGREED : Guarantee.UNIFORM);
    member.batchBytesMax(between(random, 1 << 10, 64 << 10)).batchMessagesMax(between(random, 1, 256));
    group.stateTransfer(random.nextInt(3) > 0);
    member.catchUpBytesMax(between(random, 64 << 10, 1 << 20));
  }

  private static Map<FaultKind, Double> strengths(SplittableRandom random) {
    double share = random.nextInt(10) == 0 ? 0 : 0.15 + 0.6 * random.nextDouble();
    Map<FaultKind, Double> strengths = new EnumMap<>(FaultKind.class);
    for (FaultKind kind : EnumSet.range(FaultKind.LOSS, FaultKind.LARGE_MESSAGE)) {
      boolean on = random.nextDouble() < share;
      double strength = 0.02 + 0.98 * random.nextDouble() * random.nextDouble();
      if (on) {
        strengths.put(kind, strength);
      }
    }
    if (random.nextInt(STORM_ONE_IN) == 0) { // view changes that are interrupted in the moment of their announcement
      strengths.put(FaultKind.PARTITION, STORM_STRENGTH);
      strengths.put(FaultKind.SUSPICION, STORM_STRENGTH);
    }
    return strengths;
  }

  /// How strong a kind of fault is.
  ///
  /// @param kind the kind
  /// @return 0 when it is off, up to 1
  public double strength(FaultKind kind) {
    return strengths.getOrDefault(kind, 0.0);
  }

  /// Whether a kind of fault is on.
  ///
  /// @param kind the kind
  /// @return whether it has a strength
  public boolean has(FaultKind kind) {
    return strengths.containsKey(kind);
  }

  /// The same run with less in it.
  ///
  /// @param limits what to leave out
  /// @return a changed copy
  public Plan within(Limits limits) {
    if (limits.has(Limits.Theme.PARTITIONS) && !splits) {
      return splitting().within(limits);
    }
    if (limits.has(Limits.Theme.OBSERVERS) && !observed) {
      return observing().within(limits);
    }
    if (limits.has(Limits.Theme.REPLICA) && !serves) {
      return serving().within(limits);
    }
    if (limits.has(Limits.Theme.CALLS) && !calls) {
      return calling().within(limits);
    }
    if (limits.has(Limits.Theme.FORCED) && !(has(FaultKind.FORCE) && isDurable())) {
      return forcing().within(limits);
    }
    if (limits.has(Limits.Theme.UPGRADES) && strength(FaultKind.UPGRADE) < 1) {
      return upgrading().within(limits);
    }
    if (limits.has(Limits.Theme.STATIC_MAJORITY) && !config.electorate().equals(names())) {
      return byMajority().within(limits);
    }
    Map<FaultKind, Double> left = new EnumMap<>(strengths);
    left.keySet().removeAll(limits.without());
    Ordering only = limits.ordering();
    if (only != null) {
      left.remove(FaultKind.SWITCH);
    }
    var other = new Draft(this);
    other.nodes = Math.min(nodes, limits.nodesMax());
    other.config = only == null ? config : config.toBuilder().ordering(only).build();
    other.multicasts = Math.min(multicasts, limits.multicastsMax());
    other.strengths = left;
    return other.plan();
  }

  /// The same run with other nodes, another group, observers or none, and other faults.
  private Plan with(int members, GroupConfig group, boolean withObservers, Map<FaultKind, Double> faults) {
    var other = new Draft(this);
    other.nodes = members;
    other.config = group;
    other.observed = withObservers;
    other.strengths = faults;
    return other.plan();
  }

  /// The same run with another time for the faults.
  private Plan lasting(long nanos) {
    var other = new Draft(this);
    other.safetyNanos = nanos;
    return other.plan();
  }

  /// The same run with observers.
  private Plan observing() {
    return with(Math.max(nodes, SPLIT_NODES_MIN), config, true, strengths);
  }

  /// The same run with a replicated service; half of those without disks get some, and what goes wrong with these.
  private Plan serving() {
    Map<FaultKind, Double> faults = new EnumMap<>(strengths);
    faults.remove(FaultKind.FORCE); // one group is forced, and the service would wait for its members
    SplittableRandom disks = new Streams(seed).open(Streams.Purpose.REPLICA, Long.MAX_VALUE - 3);
    Durability drawn = isDurable() ? Durability.NONE : durability(disks, true, faults);
    GroupConfig group =
        drawn == Durability.NONE
            ? config
            : config.toBuilder().domain(null).partitions(Partitions.SUSPEND).durability(drawn).build();
    var other = new Draft(this);
    other.config = group;
    other.serves = true;
    other.strengths = faults;
    return other.plan();
  }

  /// The same run with a group whose members call each other.
  private Plan calling() {
    Map<FaultKind, Double> faults = new EnumMap<>(strengths);
    faults.remove(FaultKind.FORCE);
    var other = new Draft(this);
    other.strengths = faults;
    other.calls = true;
    return other.plan();
  }

  /// The same run with a static majority of all nodes, in which members crash and come back.
  private Plan byMajority() {
    Map<FaultKind, Double> more = new EnumMap<>(strengths);
    more.put(FaultKind.PARTITION, 1.0);
    more.put(FaultKind.SUSPICION, 1.0);
    more.putIfAbsent(FaultKind.CRASH, MAJORITY_CRASH_STRENGTH);
    more.putIfAbsent(FaultKind.CRASH_AT_FRAME, MAJORITY_CRASH_STRENGTH);
    more.putIfAbsent(FaultKind.RESTART, MAJORITY_CRASH_STRENGTH);
    return with(Math.max(nodes, SPLIT_NODES_MIN), config, observed, more).electing();
  }

  /// The same run with all nodes as the electorate of a static majority.
  private Plan electing() {
    GroupConfig elected = config.toBuilder().electorate(names()).primaryViews(PrimaryViews.STATIC_MAJORITY).build();
    return with(nodes, elected, observed, strengths);
  }

  /// The same run with three nodes, for long, which nothing strikes but cuts of the network and wrong suspicions, one
  /// after the other.
  Plan cutAtAnnouncements() {
    Map<FaultKind, Double> cuts = new EnumMap<>(FaultKind.class);
    cuts.put(FaultKind.PARTITION, CUTS_STRENGTH);
    cuts.put(FaultKind.SUSPICION, STORM_STRENGTH);
    return with(SPLIT_NODES_MIN, config, false, cuts).lasting(CUTS_UNITS * suspectNanos).electing();
  }

  /// A run on thin lines: a long message takes longer than an attempt at a view, and two certain members are needed for
  /// each primary view, so that one that has not got the message cannot be left behind. What a link sends again at its
  /// timeouts passes: a line is no thinner than one of 2.5 Mbit/s is for UDP, with its 20 ms before the first timeout.
  Plan onThinLines() {
    SplittableRandom random = new Streams(seed).open(Streams.Purpose.LINE, 0);
    int members = random.nextInt(SPLIT_NODES_MIN, THIN_NODES_MAX + 1);
    int one = random.nextInt(members);
    int two = (one + 1 + random.nextInt(members - 1)) % members;
    Map<FaultKind, Double> cuts = new EnumMap<>(FaultKind.class);
    for (FaultKind kind : List.of(FaultKind.PARTITION, FaultKind.SUSPICION, FaultKind.LARGE_MESSAGE)) {
      cuts.put(kind, STORM_STRENGTH);
    }
    GroupConfig elected =
        config.toBuilder()
            .domain(null)
            .durability(Durability.NONE)
            .electorate(Set.of("n" + one, "n" + two))
            .primaryViews(PrimaryViews.STATIC_MAJORITY)
            .build();
    var other = new Draft(with(members, elected, false, cuts));
    other.serves = false;
    other.member = member.toBuilder().windowBytes(LARGE_WINDOW_BYTES_MIN).build();
    other.frameBytesMax = Math.min(frameBytesMax, THIN_FRAME_BYTES_MAX);
    other.lineNanosPerByte = Math.max(1, THIN_LARGE_UNITS * suspectNanos / Workload.LARGE_BYTES);
    long frameNanos = other.frameBytesMax * other.lineNanosPerByte;
    other.retransmitNanos = Math.max(retransmitNanos, THIN_RETRANSMIT_FRAMES * frameNanos);
    other.safetyNanos = THIN_UNITS * suspectNanos;
    other.multicasts = THIN_MULTICASTS;
    other.messageBytesMax = THIN_MESSAGE_BYTES_MAX;
    other.stateBytes = Math.min(stateBytes, THIN_STATE_BYTES_MAX);
    return other.plan();
  }

  /// The same run with splits of all shapes, with nodes and time enough for them.
  private Plan splitting() {
    SplittableRandom random = new Streams(seed).open(Streams.Purpose.SPLIT, 0);
    Map<FaultKind, Double> more = new EnumMap<>(strengths);
    for (FaultKind kind : List.of(FaultKind.PARTITION, FaultKind.ONE_WAY, FaultKind.FLAPPING)) {
      more.put(kind, 1.0);
    }
    if (random.nextBoolean()) {
      more.putIfAbsent(FaultKind.CRASH, SPLIT_CRASH_STRENGTH);
      more.putIfAbsent(FaultKind.RESTART, SPLIT_CRASH_STRENGTH);
    }
    int atLeast = random.nextInt(SPLIT_NODES_MIN, SPLIT_NODES_MAX + 1);
    var other = new Draft(this);
    other.nodes = nodes < SPLIT_NODES_MIN ? atLeast : nodes;
    other.safetyNanos = Math.max(safetyNanos, SPLIT_UNITS_MIN * suspectNanos);
    other.splits = true;
    other.strengths = more;
    return other.plan();
  }

  /// A group of the same settings in which nothing goes wrong, and whose frames travel quickly against the time of
  /// suspicion: what a fault costs there is not hidden by slow ways.
  Plan forRecovery() {
    Plan plan = forRecovery(observed);
    // An application that is stuck is a fault, too; who is refused is never with the others; and where two vote, one
    // that crashes takes the group with it.
    Plan forgetful = plan.withState(); // without disks some may be refused who are not with them
    boolean odd =
        IntStream.range(0, plan.nodes)
            .anyMatch(place -> plan.isStuck(place) || plan.isRefused(place) || forgetful.isRefused(place));
    long voters = IntStream.range(0, plan.nodes).filter(place -> plan.role(place) == Role.VOTER).count();
    return odd || voters < SPLIT_NODES_MIN ? forRecovery(false) : plan;
  }

  private boolean isRefused(int place) {
    return role(place) == Role.MISTAKEN || role(place) == Role.BARRED;
  }

  private Plan forRecovery(boolean withObservers) {
    SplittableRandom random = new Streams(seed).open(Streams.Purpose.SPLIT, 1);
    long way = suspectNanos / QUICK_WAY;
    int members = random.nextInt(SPLIT_NODES_MIN, SPLIT_NODES_MAX + 1);
    var other = new Draft(this);
    other.nodes = members;
    other.config =
        config.toBuilder().domain(null).primaryViews(PrimaryViews.DYNAMIC_LINEAR).electorate(Set.of()).build();
    other.retransmitNanos = Math.min(retransmitNanos, suspectNanos / 2);
    other.delayNanosMin = Math.min(delayNanosMin, way);
    other.delayNanosMax = Math.min(delayNanosMax, way);
    other.turnNanosMax = Math.min(turnNanosMax, way);
    other.guarded = true;
    other.splits = false;
    other.observed = withObservers;
    other.serves = false;
    other.strengths = Map.of();
    other.member = member.toBuilder().leaveWhenBehind(Duration.ZERO).spillBytesMax(0).build();
    return other.plan();
  }

  /// The same run in which who is too far behind leaves.
  ///
  /// @param times how far that is, in times of suspicion
  Plan leavingWhenBehind(double times) {
    var other = new Draft(this);
    other.member = member.toBuilder().leaveWhenBehind(Duration.ofNanos((long) (suspectNanos * times))).build();
    return other.plan();
  }

  /// The same run of a group whose newcomers get the state, each time.
  Plan withState() {
    GroupConfig group = config.toBuilder().stateTransfer(true).durability(Durability.NONE).build();
    return with(nodes, group, observed, strengths);
  }

  /// The same run with disks.
  Plan withDisks() {
    Durability durability = isDurable() ? config.durability() : Durability.EACH;
    GroupConfig group = config.toBuilder().partitions(Partitions.SUSPEND).durability(durability).build();
    return with(nodes, group, observed, strengths);
  }

  /// The same run with disks, in which slow applications spill what they do not take, nodes crash and come back, and
  /// windows are small against what is multicast.
  Plan spilling() {
    Map<FaultKind, Double> faults = new EnumMap<>(strengths);
    faults.putAll(Map.of(FaultKind.SLOW_CONSUMER, 1.0, FaultKind.RESTART, 1.0, FaultKind.CRASH, SPILL_CRASH_STRENGTH));
    faults.remove(FaultKind.LARGE_MESSAGE);
    var other = new Draft(this);
    other.member = member.toBuilder().spillBytesMax(1 << 20).windowBytes(SPILL_WINDOW_BYTES).build();
    other.config = config.toBuilder().domain(null).build();
    other.nodes = Math.max(2, nodes);
    other.serves = false;
    other.multicasts = Math.max(multicasts, SPILL_MULTICASTS_MIN);
    other.messageBytesMax = Math.max(messageBytesMax, SPILL_MESSAGE_BYTES_MIN);
    other.strengths = faults;
    return other.plan().withDisks();
  }

  /// The same run with disks, at the end of which an operator forces a member.
  Plan forcing() {
    Map<FaultKind, Double> faults = new EnumMap<>(strengths);
    faults.put(FaultKind.FORCE, new Streams(seed).open(Streams.Purpose.FORCE, 0).nextDouble());
    var other = new Draft(this);
    other.config = config.toBuilder().domain(null).build();
    other.nodes = Math.max(2, nodes);
    other.serves = false;
    other.calls = false;
    other.strengths = faults;
    return other.plan().withDisks();
  }

  /// The same run with builds of other versions, whose nodes crash, are cut off, and come back.
  private Plan upgrading() {
    Map<FaultKind, Double> faults = new EnumMap<>(strengths);
    faults.put(FaultKind.UPGRADE, 1.0);
    faults.put(FaultKind.RESTART, 1.0);
    faults.putIfAbsent(FaultKind.CRASH, UPGRADE_CRASH_STRENGTH);
    faults.putIfAbsent(FaultKind.PARTITION, UPGRADE_CRASH_STRENGTH);
    return with(Math.max(2, nodes), config, observed, faults);
  }

  /// The group of the run with three members, to which nothing happens but what a test does.
  Plan forPolicies(int nodes) {
    Plan quiet = forRecovery(false);
    GroupConfig group = quiet.config.toBuilder().durability(Durability.NONE).partitions(Partitions.SUSPEND).build();
    return quiet.with(nodes, group, false, Map.of());
  }

  /// The same run with overlapping groups, with nodes enough that two of them are in two groups, and others in one.
  Plan overlapping() {
    Map<FaultKind, Double> fewer = new EnumMap<>(strengths);
    fewer
        .keySet()
        .removeAll(
            List.of(
                FaultKind.FORCE, FaultKind.BLACKOUT, FaultKind.TORN_WRITE, FaultKind.DISK_LOSS, FaultKind.DISK_FULL));
    GroupConfig overlapping =
        config.toBuilder().guarantee(Guarantee.UNIFORM).durability(Durability.NONE).domain(Overlap.DOMAIN).build();
    return with(Math.max(OVERLAP_NODES_MIN, nodes), overlapping, observed, fewer);
  }

  /// Describes the run in one line.
  ///
  /// @return numbers of nodes, guarantee, ordering, sizes, times and faults
  public String describe() {
    var text = new StringBuilder();
    text.append(nodes).append(" nodes, ").append(config.guarantee().name().toLowerCase(Locale.ROOT));
    text.append(" by ").append(config.ordering().name().toLowerCase(Locale.ROOT));
    boolean both = config.primaryViews() == PrimaryViews.BOTH;
    text.append(config.electorate().isEmpty() ? "" : ", electorate " + config.electorate() + (both ? " too" : ""));
    text.append(config.partitions() == Partitions.CONTINUE ? ", with branches" : "");
    text.append(member.suspicion() == Suspicion.REFUTABLE ? ", refutable suspicion" : "");
    text.append(
        member.leaveWhenBehind().isZero() ? "" : ", left when " + member.leaveWhenBehind().toMillis() + " ms behind");
    text.append(member.spillBytesMax() == 0 ? "" : ", spilling");
    text.append(isJoint() ? ", founded together" : "");
    text.append(isDurable() ? ", " + config.durability().name().toLowerCase(Locale.ROOT) + " durable" : "");
    text.append(overlaps() ? " in overlapping groups" : "");
    text.append(mixed ? ", settings mixed" : "");
    text.append(connected ? ", over connections" : "");
    text.append(serves ? ", with a service" + (keepsService() ? " that is durable" : "") : "");
    text.append(calls ? ", with calls" : "");
    text.append(roles());
    text.append(config.stateTransfer() ? ", state of about " + stateBytes + " bytes" : ", no state");
    text.append(", window ").append(member.windowBytes());
    text.append(", batch ").append(member.batchBytesMax()).append('/').append(member.batchMessagesMax());
    text.append(member.packing().equals(Packing.natural()) ? "" : " " + member.packing());
    text.append(", frames to ").append(frameBytesMax);
    text.append(", heartbeat ").append(millis(heartbeatNanos)).append(", suspect ").append(millis(suspectNanos));
    text.append(lineNanosPerByte == 0 ? "" : ", " + lineNanosPerByte + " ns per byte");
    text.append(", delay ").append(millis(delayNanosMin)).append("..").append(millis(delayNanosMax));
    text.append(", ").append(multicasts).append(" multicasts to ").append(messageBytesMax).append(" bytes, faults");
    text.append(guarded ? "" : " (unguarded)").append(splits ? " split" : "");
    strengths.forEach(
        (kind, strength) -> text.append(' ').append(kind.option()).append(String.format("=%.2f", strength)));
    return text.append(strengths.isEmpty() ? " none" : "").append(", ").append(millis(safetyNanos)).toString();
  }

  private String roles() {
    var observers = new StringBuilder();
    for (int place = 0; place < nodes; place++) {
      Role role = role(place);
      if (role != Role.VOTER) {
        observers.append(observers.isEmpty() ? ", observed by n" : " n").append(place);
        observers.append(role == Role.OBSERVER ? "" : " (" + role.name().toLowerCase(Locale.ROOT) + ")");
        observers.append(mayVote(place) ? "" : " (by certificate)");
        observers.append(isStuck(place) ? " (stuck)" : "");
      }
    }
    return observers.toString();
  }

  private static String millis(long nanos) {
    Duration duration = Duration.ofNanos(nanos);
    return duration.toMillis() >= 10 ? duration.toMillis() + " ms" : nanos / 1000 + " us";
  }

  /// What of a plan differs in another one that is made of it.
  private static final class Draft {
    final Plan from;
    int nodes;
    GroupConfig config;
    MemberConfig member;
    int frameBytesMax;
    long retransmitNanos;
    long lineNanosPerByte;
    long delayNanosMin;
    long delayNanosMax;
    long turnNanosMax;
    long safetyNanos;
    int multicasts;
    int messageBytesMax;
    int stateBytes;
    boolean guarded;
    boolean splits;
    boolean observed;
    boolean serves;
    boolean calls;
    Map<FaultKind, Double> strengths;

    Draft(Plan from) {
      this.from = from;
      nodes = from.nodes;
      config = from.config;
      member = from.member;
      frameBytesMax = from.frameBytesMax;
      retransmitNanos = from.retransmitNanos;
      lineNanosPerByte = from.lineNanosPerByte;
      delayNanosMin = from.delayNanosMin;
      delayNanosMax = from.delayNanosMax;
      turnNanosMax = from.turnNanosMax;
      safetyNanos = from.safetyNanos;
      multicasts = from.multicasts;
      messageBytesMax = from.messageBytesMax;
      stateBytes = from.stateBytes;
      guarded = from.guarded;
      splits = from.splits;
      observed = from.observed;
      serves = from.serves;
      calls = from.calls;
      strengths = from.strengths;
    }

    Plan plan() {
      return new Plan(
          from.seed,
          nodes,
          config,
          member,
          from.heartbeatNanos,
          from.suspectNanos,
          frameBytesMax,
          retransmitNanos,
          lineNanosPerByte,
          delayNanosMin,
          delayNanosMax,
          turnNanosMax,
          safetyNanos,
          multicasts,
          messageBytesMax,
          stateBytes,
          guarded,
          splits,
          from.mixed,
          observed,
          serves,
          calls,
          from.connected,
          strengths);
    }
  }
}
