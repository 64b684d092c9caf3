package org.tutti.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.membership.Founding;
import org.tutti.membership.Terms;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.replica.protocol.Frame;
import org.tutti.replica.protocol.SessionTable;
import org.tutti.sim.check.Role;
import org.tutti.sim.check.ServiceHistory;
import org.tutti.sim.check.ServiceOrder;
import org.tutti.sim.check.Violation;

/// A replicated service on all nodes, and its clients, which are no nodes: a group of its own that goes through all
/// that happens to the group of the [SimulatedCluster].
///
/// Clients reach replicas by connections, as over TCP: in order, without loss, but slow at times, and what was sent
/// when a connection ends may still arrive, or not. Connections end with their node, at once or without a word.
final class ServiceGroup implements ClientLink {
  static final String NAME = "registers";

  private static final String GROUP = "service";
  private static final int CALL = 4; // kinds of what replicas say to each other
  private static final int COLLECT = 11;
  private static final int REPLY = 12;
  private static final int SESSION_AT = 1 + Long.BYTES;
  private static final int NUMBER_AT = SESSION_AT + Long.BYTES;
  private static final int VIOLATIONS_MAX = 5; // shown
  private static final int ACTS_MAX = 150;
  private static final long REST_UNITS = 60;
  private static final int DAMAGED_ONE_IN = 8; // of starts
  private static final long NOBODYS_CALL = -1;
  private static final int GUESSES = 20;
  private static final int NEARER = 20;
  private static final int UNANSWERED_ONE_IN = 4; // questions to a discovery
  private static final int SWITCHES_MAX = 10; // in the mean
  private static final int KILLED_ONE_IN = 3; // of the clients that end

  /// A client's connection to a life of a replica; an intruder's has no client.
  private final class Connection {
    final long id;
    final @Nullable SimulatedClient client;
    final SimulatedReplica replica;
    final int place;
    boolean clientOpen = true;
    boolean replicaOpen;
    boolean reading = true;
    final ArrayDeque<Runnable> unread = new ArrayDeque<>(); // has come to the replica's host
    long lastToReplica;
    long lastToClient;

    Connection(long id, @Nullable SimulatedClient client, SimulatedReplica replica, int place) {
      this.id = id;
      this.client = client;
      this.replica = replica;
      this.place = place;
    }

    void toReplica(Runnable event) {
      lastToReplica = arrival(lastToReplica);
      setting.scheduler().at(lastToReplica, () -> arrived(event));
    }

    private void arrived(Runnable event) {
      if (!replica.isHere()) {
        reset();
      } else {
        unread.add(event);
        read();
      }
    }

    void read() {
      while (reading && !unread.isEmpty()) {
        Runnable next = unread.remove();
        replica.tell(() -> {
          if (reading) {
            next.run();
          } else {
            unread.addFirst(next);
          }
        });
        if (!reading) {
          return;
        }
      }
    }

    void toClient(Runnable event) {
      lastToClient = arrival(lastToClient);
      setting
          .scheduler()
          .at(
              lastToClient,
              () -> {
                if (clientOpen) {
                  event.run();
                }
              });
    }

    /// The node is gone: the client hears of it, or does not.
    void reset() {
      SimulatedClient whose = client;
      if (clientOpen && whose != null) {
        toClient(() -> {
          clientOpen = false;
          whose.disconnected(id);
        });
      }
    }

    private long arrival(long last) {
      Plan plan = setting.plan();
      long way = plan.delayNanosMin() + random.nextLong(plan.delayNanosMax() - plan.delayNanosMin() + 1);
      way = near ? way / NEARER : way;
      long stalled = client == null ? 0 : stalls[client.seat()][place];
      return Math.max(last, Math.max(stalled, setting.scheduler().nowNanos() + way));
    }
  }

  private final Simulation.Setting setting;
  private final Breakage breakage;
  private final @Nullable Choice choice;
  private final SplittableRandom random;
  private final ServiceSettings settings;
  private final TestedService tested;
  private final ServiceHistory history;
  private final List<SimulatedReplica> replicas = new ArrayList<>(); // all lives
  private final @Nullable SimulatedReplica[] places; // the newest life at each
  private final List<SimulatedClient> clients = new ArrayList<>(); // by seat
  private final List<SimulatedClient> allClients = new ArrayList<>(); // also those that have ended
  private final TreeMap<Long, Connection> connections = new TreeMap<>();
  private final GroupClients groupClients; // clients in groups with replicas
  private final boolean near; // clients are nearer to replicas than these to each other
  private final long[][] stalls; // until when nothing arrives, by seat and place
  private final List<View> views = new ArrayList<>();
  private long connectionNext = 1;
  private final SplittableRandom disks; // what happens to snapshots
  private final SessionLives lives;
  private final SplittableRandom ends; // of clients
  private int endsLeft;
  private final boolean durable;
  private int left;
  private boolean wiped; // a disk was
  private boolean damaged; // a snapshot was, somewhere
  private boolean founded;
  private boolean calm;
  private boolean quiet; // no client is there
  private boolean expecting;

  /// What a client does besides what its policy says.
  enum Way {
    PLAIN,
    /// It sends to all while it suspects the manager.
    ON_SUSPICION,
    /// The manager gathers the replies that it collects.
    BUNDLED,
    /// It is in a group with the manager, which gathers the replies that it collects.
    ONE_CLUSIVE,
    /// It is in a group with all replicas.
    INCLUSIVE;

    /// In which groups it is with replicas; null for none.
    ClientGroup.@Nullable Kind kind() {
      return switch (this) {
        case PLAIN, ON_SUSPICION, BUNDLED -> null;
        case ONE_CLUSIVE -> ClientGroup.Kind.ONE_CLUSIVE;
        case INCLUSIVE -> ClientGroup.Kind.INCLUSIVE;
      };
    }
  }

  /// What a run is about that is not drawn: one client with a policy, and what is done to messages.
  ///
  /// @param policy   the client's; its replication and ordering are those of the replicas
  /// @param way      what the client does besides
  /// @param posts    asked before a replica multicasts; whether its node has gone instead
  /// @param delivers asked before a replica is delivered a message; whether its node has gone instead
  /// @param sends    told of each frame that a replica has sent to the client
  record Choice(
      Policy policy,
      Way way,
      BiPredicate<SimulatedNode, ByteBuffer> posts,
      BiPredicate<SimulatedNode, ByteBuffer> delivers,
      BiConsumer<SimulatedNode, ByteBuffer> sends) {}

  /// Called when a replica threw something.
  interface Breakage {
    void broken(SimulatedNode node, Throwable error);
  }

  /// @param actsMax how often clients do something at most
  ServiceGroup(Simulation.Setting setting, TestedService tested, int actsMax, Breakage breakage) {
    this(setting, tested, actsMax, null, breakage);
  }

  /// @param choice what is not drawn, or null
  ServiceGroup(
      Simulation.Setting setting, TestedService tested, int actsMax, @Nullable Choice choice, Breakage breakage) {
    this.choice = choice;
    Plan plan = setting.plan();
    this.setting = setting;
    this.tested = tested;
    this.history = new ServiceHistory(tested::words);
    this.breakage = breakage;
    this.random = setting.streams().open(Streams.Purpose.REPLICA, 0);
    this.left = Math.min(random.nextInt(ACTS_MAX), actsMax);
    this.places = new SimulatedReplica[plan.nodes()];
    this.durable = plan.keepsService();
    this.disks = setting.streams().open(Streams.Purpose.REPLICA, Long.MAX_VALUE - 2);
    this.ends = setting.streams().open(Streams.Purpose.REPLICA, Long.MAX_VALUE - 3);
    this.near = random.nextBoolean();
    var drawn = new ServiceSettings(plan, tested.mayBePassive(), tested.clients());
    this.settings = choice == null ? drawn : drawn.forOnly(choice.policy(), choice.way());
    this.stalls = new long[settings.clients() + settings.groupClients()][plan.nodes()];
    this.groupClients = new GroupClients(setting, this);
    this.lives = new SessionLives(history, settings.limits().sessionMillis());
    this.endsLeft = settings.ends();
    for (int seat = 0; seat < settings.clients(); seat++) {
      clients.add(begun(seat));
    }
  }

  private SimulatedClient begun(int seat) {
    var client = new SimulatedClient(setting, this, this, seat, allClients.size(), settings.client(seat));
    allClients.add(client);
    return client;
  }

  /// Where clients reach a member, when it has said so.
  static String address(MemberId member) {
    return ServiceSettings.address(Integer.parseInt(member.name().substring(1)));
  }

  /// A replica is in a view.
  void viewed(View installed) {
    if (installed.primary() && !views.contains(installed)) {
      views.add(installed);
    }
  }

  /// All primary views that replicas were in.
  List<View> views() {
    return views;
  }

  @Nullable Choice choice() {
    return choice;
  }

  /// A replica has sent a frame to a client, over a connection or in a group.
  void sent(SimulatedReplica by, ByteBuffer frame) {
    if (choice != null) {
      choice.sends().accept(by.node(), frame.duplicate());
    }
  }

  /// The client of a run that has only one.
  SimulatedClient client() {
    return groupClients.with(clients).getFirst();
  }

  @Nullable SimulatedReplica replica(int place) {
    return places[place];
  }

  TestedService tested() {
    return tested;
  }

  ServiceHistory history() {
    return history;
  }

  SessionLives lives() {
    return lives;
  }

  /// A replica may serve now, or no longer.
  void lookWhoServes() {
    List<SimulatedReplica> serving = new ArrayList<>(places.length);
    for (SimulatedReplica replica : places) {
      if (replica != null && replica.isHere() && replica.protocol().isServing()) {
        serving.add(replica);
      }
    }
    lives.serve(setting.scheduler().nowNanos(), serving);
  }

  ServiceSettings settings() {
    return settings;
  }

  /// Where a place's replicas keep their snapshots.
  ///
  /// @param every how many bytes of the log lie between two, at least
  record Keeping(SimulatedFiles files, long every, SplittableRandom random) {}

  /// A node has begun a life.
  void started(SimulatedNode node, @Nullable SimulatedDisk disk) {
    if (groupClients.isAt(node.number)) {
      groupClients.started(node);
      return;
    }
    Role role = setting.plan().role(node.number);
    Founding joint = settings.founding();
    boolean first = places[node.number] == null;
    boolean founds = joint == null ? !founded : mayFound(node.number) && (first || (durable && !wiped(disk)));
    boolean observes = !founds && (durable ? disk == null : role == Role.OBSERVER);
    var terms = new Terms(settings.group(), settings.member(node.number), observes);
    Keeping keeping = durable && disk != null ? new Keeping(disk.files(), settings.snapshotEvery(), disks) : null;
    if (keeping != null && !calm && disks.nextInt(DAMAGED_ONE_IN) == 0) {
      damaged |= keeping.files.damageNewest(disks);
    }
    wiped |= disk != null && wiped(disk);
    var replica = new SimulatedReplica(setting, node, this, GROUP, terms, ServiceSettings.address(node.number));
    groupClients.served(replica);
    if (keeping != null && survives(node.number)) {
      replica.survives();
    }
    replicas.add(replica);
    places[node.number] = replica;
    if (replica.recover(keeping)) {
      replica.enter(founds, joint);
      founded = true;
    }
  }

  /// Whether the replica at a place is among those that are expected to found the service together. It says so at each
  /// start, unless it has forgotten that it did.
  private boolean mayFound(int place) {
    return !setting.plan().isNamesake(place) && setting.plan().role(place) == Role.VOTER;
  }

  /// Whether a place's last replica had the state when its process ended, and its disk has lost nothing.
  private boolean survives(int place) {
    SimulatedReplica before = places[place];
    Plan plan = setting.plan();
    boolean whole = !wiped && !damaged && !plan.has(FaultKind.BLACKOUT) && !plan.has(FaultKind.TORN_WRITE);
    return whole && before != null && before.hasState() && !plan.has(FaultKind.NAMESAKE);
  }

  private static boolean wiped(@Nullable SimulatedDisk disk) {
    return disk == null || disk.wasWiped();
  }

  /// A client that is a member begins.
  SimulatedClient begun(int place, int seat, ClientLink link) {
    var client =
        new SimulatedClient(setting, this, link, clients.size() + seat, allClients.size(), settings.groupClient(place));
    allClients.add(client);
    return client;
  }

  /// A number for a connection of a client that is a member.
  long number() {
    return connectionNext++;
  }

  GroupClients groupClients() {
    return groupClients;
  }

  /// A replica's membership has ended by no wish of its own.
  void refused(SimulatedReplica replica, End end) {
    boolean refused = end.cause() == End.Cause.REFUSED;
    if (durable && refused && !setting.plan().has(FaultKind.NAMESAKE)) {
      history.violate("StorageFits", replica.node().self + " may not go on with what it has kept: " + end);
    }
  }

  void broken(SimulatedNode node, Throwable error) {
    breakage.broken(node, error);
  }

  void begin() {
    long mean = setting.plan().safetyNanos() / (left + 1);
    setting.scheduler().repeat(random, mean, () -> left-- > 0 && !calm, this::act);
    if (settings.quietLives() > 0) {
      setting.scheduler().after((long) (setting.plan().safetyNanos() * ends.nextDouble()), this::quiet);
    }
    long meanOfEnds = setting.plan().safetyNanos() / (endsLeft + 1);
    setting.scheduler().repeat(ends, meanOfEnds, () -> endsLeft-- > 0 && !calm, this::end);
    SplittableRandom late = setting.streams().open(Streams.Purpose.REPLICA, Long.MAX_VALUE - 5);
    setting.scheduler().repeat(late, setting.plan().suspectNanos() / 4, () -> !calm, () -> callTheGone(late));
    if (setting.plan().has(FaultKind.SWITCH)) {
      SplittableRandom switches = setting.streams().open(Streams.Purpose.REPLICA, Long.MAX_VALUE - 4);
      long meanOfSwitches = (long) (setting.plan().safetyNanos() / (1 + SWITCHES_MAX * switches.nextDouble()));
      setting.scheduler().repeat(switches, meanOfSwitches, () -> !calm, () -> switchOrdering(switches));
    }
  }

  /// As the group of the [SimulatedCluster], by one replica or by two at once.
  private void switchOrdering(SplittableRandom of) {
    int wishes = of.nextInt(3) == 0 ? 2 : 1;
    for (int i = 0; i < wishes; i++) {
      SimulatedReplica replica = places[of.nextInt(places.length)];
      Ordering to = Plan.draw(of);
      if (replica != null && replica.isHere()) {
        replica.switchTo(to);
      }
    }
  }

  /// A client that collects several replies calls while a replica has gone that is in the view still.
  private void callTheGone(SplittableRandom of) {
    View last = views.isEmpty() ? null : views.getLast();
    boolean gone =
        last != null
            && Stream.of(places).anyMatch(one -> one != null && !one.isHere() && last.contains(one.node().self));
    List<SimulatedClient> collecting = clients.stream().filter(client -> client.given() != null).toList();
    if (gone && !quiet && !collecting.isEmpty()) {
      collecting.get(of.nextInt(collecting.size())).call();
    }
  }

  /// All clients close, and others come later: a service that is idle meanwhile has no session.
  private void quiet() {
    if (!calm) {
      quiet = true;
      clients.forEach(client -> client.end(true));
      setting.scheduler().after(settings.quietLives() * settings.limits().sessionMillis() * 1_000_000, this::resume);
    }
  }

  private void resume() {
    if (quiet) {
      quiet = false;
      clients.replaceAll(client -> begun(client.seat()));
    }
  }

  /// The program of a client ends, half of them with calls that it has just made, and another one begins.
  private void end() {
    if (quiet) {
      return;
    }
    int seat = ends.nextInt(clients.size());
    SimulatedClient client = clients.get(seat);
    for (int calls = ends.nextBoolean() ? 1 + ends.nextInt(4) : 0; calls > 0; calls--) {
      client.call();
    }
    client.end(ends.nextInt(KILLED_ONE_IN) > 0);
    clients.set(seat, begun(seat));
  }

  private void act() {
    if (quiet) {
      return;
    }
    List<SimulatedClient> all = groupClients.with(clients);
    SimulatedClient client = all.get(random.nextInt(all.size()));
    long unit = setting.plan().suspectNanos();
    switch (random.nextInt(10)) {
      case 0 -> client.giveUp();
      case 1 -> stall(client, (long) (unit * 6 * random.nextDouble() * random.nextDouble()));
      case 2 -> client.call((long) (unit * 2 * random.nextDouble()));
      case 3, 4 -> {
        for (int calls = random.nextInt(8); calls >= 0; calls--) {
          client.call();
        }
      }
      case 5 -> intrude(client);
      case 6 -> client.breaksAfterReply();
      default -> client.call();
    }
  }

  /// Somebody who knows a client's session, but not its secret, wants commands to be executed in it.
  private void intrude(SimulatedClient victim) {
    int place = random.nextInt(places.length);
    SimulatedReplica replica = places[place];
    long session = victim.session();
    if (replica == null || !replica.isHere() || session == 0) {
      return;
    }
    var intruder = new Connection(connectionNext++, null, replica, place);
    connections.put(intruder.id, intruder);
    intruder.toReplica(() -> {
      intruder.replicaOpen = true;
      replica.protocol().connected(intruder.id);
    });
    toReplica(intruder.id, new Frame.Hello(NAME, Frame.NO_POLICY).encode());
    if (random.nextBoolean()) {
      var guess = new SessionTable.Secret(random.nextLong(), random.nextLong());
      toReplica(intruder.id, new Frame.Resume(session, guess, random.nextBoolean()).encode());
    }
    for (long number = Math.max(1, victim.calls() - GUESSES); number <= victim.calls() + 1; number++) {
      ByteBuffer payload = RecordedService.command(NOBODYS_CALL, ByteBuffer.allocate(0));
      toReplica(intruder.id, new Frame.Call(session, number, 1, false, payload).encode());
    }
    closedByClient(intruder.id);
  }

  /// Nothing arrives at a client from a replica for some time, nor at the replica from it.
  void stall(SimulatedClient client, int place, long nanos) {
    stalls[client.seat()][place] = setting.scheduler().nowNanos() + nanos;
  }

  private void stall(SimulatedClient client, long nanos) {
    long until = setting.scheduler().nowNanos() + nanos;
    boolean all = random.nextInt(3) == 0;
    int one = random.nextInt(places.length);
    for (int place = 0; place < places.length; place++) {
      if (all || place == one) {
        stalls[client.seat()][place] = until;
      }
    }
  }

  /// What a discovery answers a client; nothing while it does not work.
  @Nullable List<String> discovered(SplittableRandom of) {
    if (!calm && of.nextInt(UNANSWERED_ONE_IN) == 0) {
      return null;
    }
    List<String> found = new ArrayList<>();
    for (int place = 0; place < places.length; place++) {
      if (calm || of.nextBoolean()) {
        found.add(ServiceSettings.address(place));
      }
    }
    return found;
  }

  // ---- connections -----------------------------------------------------------------------------------------------

  @Override
  public long connect(SimulatedClient client, String address) {
    int place = Integer.parseInt(address.substring(1));
    SimulatedReplica replica = places[place];
    long id = connectionNext++;
    if (replica == null || !replica.isHere()) {
      setting.scheduler().after(setting.plan().delayNanosMax(), () -> client.disconnected(id));
      return id;
    }
    var connection = new Connection(id, client, replica, place);
    connections.put(id, connection);
    connection.toReplica(() -> {
      connection.replicaOpen = true;
      replica.protocol().connected(id);
    });
    connection.toClient(() -> client.connected(id));
    return id;
  }

  @Override
  public void toReplica(long id, ByteBuffer frame) {
    Connection connection = connections.get(id);
    if (connection != null && connection.clientOpen) {
      ByteBuffer bare = bare(frame);
      connection.toReplica(() -> connection.replica.protocol().said(id, bare));
    }
  }

  void toClient(long id, ByteBuffer frame) {
    Connection connection = connections.get(id);
    SimulatedClient client = connection == null ? null : connection.client;
    if (connection != null && client != null && connection.replicaOpen) {
      ByteBuffer bare = bare(frame);
      client.isSent(id, bare, connection.replica);
      connection.toClient(() -> client.received(id, bare));
      sent(connection.replica, bare);
    }
  }

  private static ByteBuffer bare(ByteBuffer frame) {
    ByteBuffer bare = ByteBuffer.allocate(frame.remaining()).put(frame.duplicate()).flip();
    if (bare.getInt() != bare.remaining()) {
      throw new IllegalStateException("a frame with a wrong length");
    }
    return bare;
  }

  void read(long id, boolean on) {
    Connection connection = connections.get(id);
    if (connection != null) {
      connection.reading = on;
      connection.read();
    }
  }

  /// What was sent before still comes, or does not.
  @Override
  public void closedByClient(long id) {
    Connection connection = connections.get(id);
    if (connection != null && connection.clientOpen) {
      connection.clientOpen = false;
      connection.toReplica(() -> connection.replica.protocol().disconnected(id));
      if (random.nextBoolean()) {
        connections.remove(id);
      }
    }
  }

  void closedByReplica(long id) {
    Connection connection = connections.get(id);
    if (connection != null) {
      connection.replicaOpen = false;
      connection.reset();
    }
  }

  /// A replica's membership has ended.
  void gone(SimulatedReplica replica) {
    for (Connection connection : List.copyOf(connections.values())) {
      if (connection.replica == replica) {
        connection.reset();
      }
    }
  }

  // ---- what replicas say to each other -----------------------------------------------------------------------------

  /// A replica says something in no order: its reply to a command, for whoever gathers the replies of all.
  void says(SimulatedReplica by, ByteBuffer message) {
    if (message.get(0) == REPLY) {
      collecting().forEach(given -> given.says(by, message.duplicate().position(1)));
    }
  }

  /// A replica is to execute something.
  void executes(SimulatedReplica by, ByteBuffer message) {
    if (message.get(0) == CALL || message.get(0) == COLLECT) {
      collecting().forEach(given -> given.executes(by, message.getLong(SESSION_AT), message.getLong(NUMBER_AT)));
    }
  }

  private Stream<GivenReplies> collecting() {
    return allClients.stream().map(SimulatedClient::given).filter(Objects::nonNull);
  }

  // ---- at rest ---------------------------------------------------------------------------------------------------

  /// No more faults, and nothing new.
  void calm() {
    calm = true;
    for (long[] of : stalls) {
      Arrays.fill(of, 0);
    }
    resume();
  }

  /// Each client calls once more.
  void last() {
    expecting = isTogether();
    groupClients.with(clients).forEach(SimulatedClient::last);
  }

  long restNanos() {
    return REST_UNITS * setting.plan().suspectNanos() + 4_000_000_000L; // a client that found nobody waits a while
  }

  /// How long the last calls may take. Clients that were killed may have left so many sessions that a new one has to
  /// wait until these expire: one life after the replicas have begun to wait for the clients, which may take another.
  /// And a comparison of states begins within a second, and ends without a replica that has said nothing for five; a
  /// client has up to sixteen open, and asks for eight at once.
  long answerNanos() {
    long comparisonNanos = settings.compareNanos() < Long.MAX_VALUE ? 2 * 6_000_000_000L : 0;
    return restNanos() + 2 * settings.limits().sessionMillis() * 1_000_000 + comparisonNanos;
  }

  private List<SimulatedReplica> living() {
    return replicas.stream().filter(SimulatedReplica::isHere).toList();
  }

  private List<String> serving() {
    return living().stream()
        .filter(replica -> replica.protocol().isServing())
        .map(replica -> ServiceSettings.address(replica.node().number))
        .toList();
  }

  /// Whether the living replicas are in one primary view with each other and nobody else.
  boolean isTogether() {
    var expected = new TreeSet<MemberId>();
    List<SimulatedReplica> living = living();
    living.forEach(replica -> expected.add(replica.node().self));
    for (SimulatedReplica replica : living) {
      View view = replica.view();
      if (view == null || !view.primary() || !new TreeSet<>(view.members()).equals(expected)) {
        return false;
      }
    }
    return !living.isEmpty();
  }

  /// Whether all who vote are back with what they had kept, so that the service has to be there again.
  private boolean areAllBack() {
    boolean all = durable && !wiped && !damaged && !history.executions().isEmpty();
    for (int place = 0; place < places.length; place++) {
      SimulatedReplica replica = places[place];
      boolean votes = setting.plan().role(place) == Role.VOTER && !groupClients.isAt(place);
      all &= !votes || replica != null && replica.isHere();
    }
    return all && !setting.plan().has(FaultKind.NAMESAKE);
  }

  /// Whether nothing is under way.
  boolean isAtRest() {
    return !expecting
        || !isTogether()
        || living().stream().allMatch(SimulatedReplica::isAtRest) && violationsAtRest().isEmpty();
  }

  /// What did not hold at any time.
  List<Violation> violations() {
    List<Violation> found = new ArrayList<>(history.violations());
    if (found.isEmpty()) {
      int drawn = settings.replication() == Replication.PASSIVE ? RecordedService.DRAWN_BYTES : 0;
      found.addAll(ServiceOrder.check(history, tested.model(), tested.refusesInSameWords(), drawn));
    }
    if (found.isEmpty()) {
      found.addAll(tested.check(history));
    }
    allClients.forEach(client -> client.check(found));
    return found.subList(0, Math.min(VIOLATIONS_MAX, found.size()));
  }

  /// What does not hold although the living are together in a primary view since [#last]: then all clients have been
  /// answered, and all replicas are equal.
  List<Violation> violationsAtRest() {
    if (!expecting || !isTogether()) {
      return areAllBack() && !isTogether()
          ? List.of(
              new Violation("ServiceRestarts", "all replicas are back, and in no primary view: " + viewsInWords()))
          : List.of();
    }
    List<Violation> found = new ArrayList<>();
    List<String> here = living().stream().map(replica -> ServiceSettings.address(replica.node().number)).toList();
    for (SimulatedClient client : groupClients.with(clients)) {
      if (!client.knowsAnyOf(here)) {
        continue; // all that it was told of are gone
      }
      if (!client.isAnswered(living().getFirst()::hasNoAnswer)) {
        found.add(new Violation("ClientsAnswered", client + " waits: " + client.state()));
      }
      String mistaken = client.mistakenOrdering(living().getFirst().ordering());
      if (mistaken != null && isConnected(client)) {
        found.add(new Violation("PolicyTold", mistaken));
      }
      List<String> unreached = client.unreached(serving());
      if (!unreached.isEmpty()) {
        found.add(new Violation("ReachesAll", client + " does not send to " + unreached + ": " + client.state()));
      }
    }
    groupClients.checkAtRest(living(), found);
    if (!history.violations().isEmpty()) {
      return found; // that they are not equal follows from it
    }
    var states = new TreeMap<Long, SimulatedReplica>(); // by position; the time is told now and then, also at rest
    for (SimulatedReplica replica : living()) {
      SimulatedReplica other = states.putIfAbsent(replica.protocol().positionNext(), replica);
      if (other != null && !areEqual(replica, other)) {
        String words = replica.node().self + ": " + replica.state() + "; " + other.node().self + ": " + other.state();
        found.add(new Violation("EqualReplicas", words));
      }
    }
    return found;
  }

  /// Whether the first connection of a client that is no member leads to a replica.
  private boolean isConnected(SimulatedClient client) {
    Connection its = connections.get(client.connection());
    return its != null && its.clientOpen && its.replicaOpen && its.replica.isHere();
  }

  private boolean areEqual(SimulatedReplica one, SimulatedReplica other) {
    return one.protocol().sessions() == other.protocol().sessions()
        && (!tested.comparesStatesAtRest() || tested.areEqual(one.picture(), other.picture()));
  }

  private String viewsInWords() {
    return String.join(", ", living().stream().map(replica -> replica.node().self + " in " + replica.view()).toList());
  }

  /// Where a command was executed that failed, which its client is not told.
  long placeOf(ServiceHistory.Call call) {
    return history.executions().values().stream()
        .filter(execution -> execution.call() == call.id)
        .mapToLong(ServiceHistory.Execution::position)
        .findFirst()
        .orElse(-1);
  }

  /// How many calls clients made.
  int calls() {
    return history.calls().size();
  }

  /// How many of them have a reply or a refusal.
  int told() {
    return (int) history.calls().stream().filter(ServiceHistory.Call::isTold).count();
  }

  /// How many outcomes of several replies clients have.
  long collected() {
    return allClients.stream().mapToLong(SimulatedClient::collected).sum();
  }

  /// How many of them count only because a replica has left.
  long reduced() {
    return allClients.stream().mapToLong(SimulatedClient::reduced).sum();
  }

  /// How many outcomes came in one message with the replies of several replicas.
  long bundles() {
    return collecting().mapToLong(GivenReplies::bundles).sum();
  }

  /// How many copies of commands went to further replicas, as their clients send to all.
  long copies() {
    return allClients.stream().mapToLong(SimulatedClient::copies).sum();
  }

  /// How often clients suspected the request manager, and sent to all.
  long suspicions() {
    return allClients.stream().mapToLong(SimulatedClient::suspicions).sum();
  }
}
