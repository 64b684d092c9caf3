package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Ordering;
import org.tutti.membership.Founding;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.protocol.SessionTable;

/// The settings of a run's replicated service: those that a user says to a replica's builder, alike at all replicas or
/// not, and those that a user says to a client's. All is drawn from streams of its own.
final class ServiceSettings {
  private static final int CLIENTS_MAX = 5;
  private static final int ENDS_MAX = 8; // of clients whose program ends
  private static final int PASSIVE_ONE_IN = 3; // runs
  private static final int COMPARES_ONE_IN = 4;
  private static final int QUIET_ONE_IN = 4;
  private static final int GATHERS_ONE_IN = 8; // of the clients: the replies of all, by the manager, besides the others
  private static final int QUIET_LIVES_MAX = 3;
  private static final int COMPARE_UNITS_MAX = 20; // times of suspicion
  private static final int JOINT_ONE_IN = 2;
  private static final int COUNT_ONE_IN = 2; // of those that are founded together
  private static final int SNAPSHOT_EVERY_MAX = 10_000;
  private static final int LIFE_UNITS_MAX = 40; // of a session, in times of suspicion
  private static final int ALL_CONTACTS_ONE_IN = 2; // clients
  private static final int DEADLINE_ONE_IN = 3;
  private static final int DEADLINE_UNITS_MAX = 200; // times of suspicion
  private static final int CALLS_MAX = 64; // are open at once
  private static final int GROUP_CLIENTS_ONE_IN = 2; // services
  private static final int GROUP_CLIENTS_NODES_MIN = 3; // one of these
  private static final int FEW_ONE_IN = 3; // clients
  private static final int EIGHTHS = 8;
  private static final int DISCOVERS_ONE_IN = 4; // clients

  /// What a client is started with.
  ///
  /// @param contacts      addresses of replicas that it knows
  /// @param discovers     whether it asks a discovery for others; it may know none then
  /// @param silenceNanos  how long a replica may be silent
  /// @param deadlineNanos how long its calls may take if nothing else is said; Long.MAX_VALUE for any time
  /// @param callsMax      how many may be open
  /// @param hedged        whether it asks a second replica when the first is late
  /// @param policy        how it uses the replicas, or null
  /// @param kind          in which groups with replicas it is; null for one that has connections
  /// @param suspectsNanos after which silence of the manager it sends to all; 0 for never
  /// @param bundled       whether the manager gathers the replies of several replicas for it
  record Client(
      List<String> contacts,
      boolean discovers,
      long silenceNanos,
      long deadlineNanos,
      int callsMax,
      boolean hedged,
      @Nullable Policy policy,
      ClientGroup.@Nullable Kind kind,
      long suspectsNanos,
      boolean bundled) {}

  private final Plan plan;
  private final @Nullable Policy only; // what the only client wants; null when clients are drawn
  private final ServiceGroup.Way onlyWay;
  private final Settings settings;
  private final GroupConfig group;
  private final SessionTable.Limits limits;
  private final Replication replication;
  private final @Nullable Founding founding;
  private final long snapshotEvery;
  private final long compareNanos;
  private final int clients;
  private final int ends;
  private final int quietLives;
  private final int groupClients;
  private final boolean own; // the service that is tested; a user's may have calls that wait for others of their client

  /// @param mayBePassive whether the service can be replicated passively
  /// @param wanted       how many clients there are; 0 when that is drawn
  ServiceSettings(Plan plan, boolean mayBePassive, int wanted) {
    SplittableRandom random = new Streams(plan.seed()).open(Streams.Purpose.SERVICE_SETTINGS, -1);
    this.plan = plan;
    this.only = null;
    this.onlyWay = ServiceGroup.Way.PLAIN;
    this.settings = new Settings(plan);
    this.group =
        GroupConfig.builder()
            .stateTransfer(true)
            .ordering(Plan.draw(random))
            .durability(plan.keepsService() ? plan.config().durability() : Durability.NONE)
            .build();
    boolean passive = random.nextInt(PASSIVE_ONE_IN) == 0;
    this.replication = passive && mayBePassive ? Replication.PASSIVE : Replication.ACTIVE;
    this.limits =
        new SessionTable.Limits(
            sessionMillis(Plan.between(random, 2, LIFE_UNITS_MAX)),
            Math.max(CLIENTS_MAX + plan.nodes() / GROUP_CLIENTS_NODES_MIN, wanted) + Plan.between(random, 0, 50),
            Plan.between(random, 1, 16),
            Plan.between(random, 40, 10_000));
    this.snapshotEvery = Plan.between(random, 1, SNAPSHOT_EVERY_MAX);
    int drawn = random.nextInt(1, CLIENTS_MAX + 1);
    this.own = wanted == 0;
    this.clients = wanted == 0 ? drawn : wanted;
    boolean joint = random.nextInt(JOINT_ONE_IN) == 0;
    boolean counts = random.nextInt(COUNT_ONE_IN) == 0;
    this.founding = joint ? plan.founding(counts) : null;
    boolean compares = random.nextInt(COMPARES_ONE_IN) == 0;
    this.compareNanos = compares ? plan.suspectNanos() * Plan.between(random, 1, COMPARE_UNITS_MAX) : Long.MAX_VALUE;
    this.ends = own ? Plan.between(random, 0, ENDS_MAX) : 0;
    this.groupClients = own && founding == null && plan.nodes() >= GROUP_CLIENTS_NODES_MIN ? groupClients(random) : 0;
    boolean pauses = random.nextInt(QUIET_ONE_IN) == 0;
    this.quietLives = pauses && own && groupClients == 0 ? Plan.between(random, 1, QUIET_LIVES_MAX) : 0;
  }

  private int groupClients(SplittableRandom random) {
    boolean there = random.nextInt(GROUP_CLIENTS_ONE_IN) == 0 && !plan.has(FaultKind.NAMESAKE);
    return there ? Plan.between(random, 1, plan.nodes() / GROUP_CLIENTS_NODES_MIN) : 0;
  }

  private ServiceSettings(ServiceSettings drawn, Policy only, ServiceGroup.Way way) {
    this.plan = drawn.plan;
    this.only = only;
    this.onlyWay = way;
    this.settings = drawn.settings;
    this.group = drawn.group.toBuilder().ordering(only.ordering()).build();
    this.replication = only.replication();
    SessionTable.Limits its = drawn.limits;
    this.limits =
        new SessionTable.Limits(sessionMillis(LIFE_UNITS_MAX), its.sessionsMax(), its.window(), its.replyBytesMax());
    this.snapshotEvery = drawn.snapshotEvery;
    this.compareNanos = Long.MAX_VALUE;
    this.own = drawn.own;
    this.clients = way.kind() == null ? 1 : 0;
    this.ends = 0;
    this.quietLives = 0;
    this.groupClients = 1 - clients;
    this.founding = null;
  }

  /// The same for one client with a policy, who knows all replicas and has as much time as it needs.
  ///
  /// @param way what it does besides
  ServiceSettings forOnly(Policy policy, ServiceGroup.Way way) {
    return new ServiceSettings(this, policy, way);
  }

  private long sessionMillis(int units) {
    return Math.max(1, plan.suspectNanos() * units / 1_000_000);
  }

  /// For how long all clients are away at some time.
  ///
  /// @return in lives of a session; 0 when they are not
  int quietLives() {
    return quietLives;
  }

  static String address(int place) {
    return "c" + place;
  }

  /// What is decided for the service's group by who founds it.
  GroupConfig group() {
    return group;
  }

  Replication replication() {
    return replication;
  }

  SessionTable.Limits limits() {
    return limits;
  }

  /// How many bytes of the log lie between two snapshots, at least.
  long snapshotEvery() {
    return snapshotEvery;
  }

  /// How long after one comparison of the replicas' states the next one begins; Long.MAX_VALUE for none.
  long compareNanos() {
    return compareNanos;
  }

  /// Whom the replicas expect that found the service together; null when one founds it alone.
  @Nullable Founding founding() {
    return founding;
  }

  /// What the replica at a place decides for itself in the group.
  MemberConfig member(int place) {
    return settings.terms(place, false).member().toBuilder()
        .takesState(true)
        .dissemination(Settings.dissemination(plan, place))
        .build();
  }

  int clients() {
    return clients;
  }

  /// How many programs of clients end at most, while another one takes their place. A user's clients stay: what they
  /// call may follow from what they were told.
  int ends() {
    return ends;
  }

  /// What a client is started with.
  ///
  /// @param number of the client, from 0
  /// @return the same each time
  Client client(int number) {
    Client drawn = connected(number);
    SplittableRandom random =
        new Streams(plan.seed()).open(Streams.Purpose.SERVICE_SETTINGS, Long.MIN_VALUE / 2 + number);
    boolean discovers = random.nextInt(DISCOVERS_ONE_IN) == 0 && only == null;
    boolean knowsNobody = discovers && random.nextBoolean();
    return new Client(
        knowsNobody ? List.of() : drawn.contacts,
        discovers,
        drawn.silenceNanos,
        drawn.deadlineNanos,
        drawn.callsMax,
        drawn.hedged,
        drawn.policy,
        null,
        drawn.suspectsNanos,
        drawn.bundled);
  }

  private Client connected(int number) {
    SplittableRandom random = new Streams(plan.seed()).open(Streams.Purpose.SERVICE_SETTINGS, number);
    List<String> contacts = new ArrayList<>();
    boolean all = random.nextInt(ALL_CONTACTS_ONE_IN) == 0;
    int one = random.nextInt(plan.nodes()); // at least this
    for (int place = 0; place < plan.nodes(); place++) {
      if (random.nextBoolean() || all || place == one) {
        contacts.add(address(place));
      }
    }
    long silence = plan.suspectNanos() * random.nextInt(1, 5) / 2;
    if (only != null) {
      List<String> replicas =
          IntStream.range(0, plan.nodes() - groupClients).mapToObj(ServiceSettings::address).toList();
      long after = onlyWay == ServiceGroup.Way.ON_SUSPICION ? silence / 2 : 0;
      boolean isBundled = onlyWay == ServiceGroup.Way.BUNDLED;
      return new Client(replicas, false, silence, Long.MAX_VALUE, CALLS_MAX, false, only, null, after, isBundled);
    }
    boolean hurries = random.nextInt(DEADLINE_ONE_IN) == 0;
    long deadline = plan.suspectNanos() * Plan.between(random, 1, DEADLINE_UNITS_MAX);
    boolean few = random.nextInt(FEW_ONE_IN) == 0;
    int calls = Plan.between(random, 1, CALLS_MAX);
    boolean hedged = random.nextBoolean();
    Policy policy = random.nextBoolean() ? wish(random) : null;
    Policy wish = hedged ? null : policy;
    long suspects = suspects(random, wish, silence);
    SplittableRandom gathers = bundles(number);
    boolean bundled = suspects == 0 && wish != null && isGathered(wish) && gathers.nextBoolean();
    if (own && replication == Replication.ACTIVE && gathers.nextInt(GATHERS_ONE_IN) == 0) {
      var ofAll = new Policy(Policy.Dissemination.MANAGER, Policy.Collection.ALL, replication, Ordering.SEQUENCER);
      return new Client(List.copyOf(contacts), false, silence, Long.MAX_VALUE, CALLS_MAX, false, ofAll, null, 0, true);
    }
    return new Client(
        List.copyOf(contacts),
        false,
        silence,
        hurries ? deadline : Long.MAX_VALUE,
        few && own ? calls : CALLS_MAX,
        hedged,
        wish,
        null,
        suspects,
        bundled);
  }

  /// Whether the request manager can gather the replies that a client collects.
  private static boolean isGathered(Policy policy) {
    return policy.collectsSeveral() && policy.dissemination() == Policy.Dissemination.MANAGER;
  }

  /// What a client that may have its replies gathered is drawn from.
  private SplittableRandom bundles(long client) {
    return new Streams(plan.seed()).open(Streams.Purpose.SERVICE_SETTINGS, Long.MIN_VALUE / 4 + client);
  }

  /// In half of the clients that send to the manager: after some eighths of the silence after which they leave it.
  private static long suspects(SplittableRandom random, @Nullable Policy policy, long silence) {
    boolean suspects = random.nextBoolean();
    long after = silence / EIGHTHS * random.nextInt(1, EIGHTHS);
    boolean toManager = policy != null && policy.dissemination() == Policy.Dissemination.MANAGER;
    return suspects && toManager ? after : 0;
  }

  /// In how many of the last places there is no replica, but a client that is in groups with replicas. Whoever founds
  /// the service together knows nothing of these.
  int groupClients() {
    return groupClients;
  }

  /// What the client at one of these places is started with.
  ///
  /// @param place the node's
  /// @return the same each time
  Client groupClient(int place) {
    SplittableRandom random = new Streams(plan.seed()).open(Streams.Purpose.SERVICE_SETTINGS, Long.MIN_VALUE + place);
    ClientGroup.Kind kind = ClientGroup.Kind.values()[random.nextInt(2)];
    Client drawn = connected(plan.nodes() + place);
    if (only != null) {
      return inGroups(drawn, Objects.requireNonNull(onlyWay.kind()), only, 0);
    }
    Policy policy = random.nextInt(4) > 0 ? wish(random) : null;
    if (policy != null && kind == ClientGroup.Kind.ONE_CLUSIVE) {
      policy = ofTheManager(place, policy);
    }
    long suspects = kind == ClientGroup.Kind.INCLUSIVE ? suspects(random, policy, groupSilenceNanos(drawn)) : 0;
    return inGroups(drawn, kind, policy, suspects);
  }

  private Client inGroups(Client drawn, ClientGroup.Kind kind, @Nullable Policy policy, long suspects) {
    long silence = groupSilenceNanos(drawn);
    boolean bundled = kind == ClientGroup.Kind.ONE_CLUSIVE && policy != null && policy.collectsSeveral();
    return new Client(
        drawn.contacts, false, silence, drawn.deadlineNanos, drawn.callsMax, false, policy, kind, suspects, bundled);
  }

  /// An answer takes two multicasts, along a chain of members.
  private long groupSilenceNanos(Client drawn) {
    return drawn.silenceNanos + plan.suspectNanos();
  }

  /// To the manager, which gathers the replies of several for three of four of these clients, if they can be had; drawn
  /// from a stream of its own.
  private Policy ofTheManager(int place, Policy policy) {
    SplittableRandom random = bundles(-1 - place);
    boolean several = random.nextInt(4) > 0 && replication == Replication.ACTIVE;
    Policy.Collection some = random.nextBoolean() ? Policy.Collection.ALL : Policy.Collection.MAJORITY;
    Policy.Collection one = policy.collectsSeveral() ? Policy.Collection.FIRST : policy.collection();
    return new Policy(
        Policy.Dissemination.MANAGER,
        several ? some : one,
        several ? Replication.ACTIVE : policy.replication(),
        policy.ordering());
  }

  /// To the request manager or to all, with the replies of several if they can be had.
  private Policy wish(SplittableRandom random) {
    Policy.Collection[] all = Policy.Collection.values();
    boolean several = replication == Replication.ACTIVE && random.nextBoolean();
    Policy.Collection one = random.nextInt(4) == 0 ? Policy.Collection.NONE : Policy.Collection.FIRST;
    Policy.Collection collection = several ? all[2 + random.nextInt(2)] : one;
    Replication its = random.nextBoolean() && !several ? Replication.PASSIVE : Replication.ACTIVE;
    Ordering ordering = random.nextBoolean() ? Ordering.SEQUENCER : Ordering.SYMMETRIC;
    boolean toAll = random.nextInt(3) == 0;
    Policy.Dissemination dissemination = toAll ? Policy.Dissemination.ALL : Policy.Dissemination.MANAGER;
    return new Policy(dissemination, collection, its, ordering);
  }
}
