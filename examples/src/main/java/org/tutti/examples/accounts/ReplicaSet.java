package org.tutti.examples.accounts;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The processes of the service while a [Scenario] is played: starts and stops them, asks them, waits for them, and has
/// them audited at the end.
final class ReplicaSet {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Duration ASK_EVERY = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration STEP_MAX = Duration.ofSeconds(90); // while clients write, something always moves
  private static final int WINDOW = 64;

  /// What the clients send.
  ///
  /// @param file         where they read it
  /// @param transactions what is in it
  record Workload(Path file, List<Transaction> transactions) {}

  private final DemoOptions options;
  private final Fleet fleet;
  private final Relay relay;
  private final DemoLog demoLog;
  private final Workload workload;
  private final int portBase;
  private final Map<Integer, ChildProcess> replicas =
      new TreeMap<>(); // by index, from 1; those that are not gone for good
  private final List<String> departed = new ArrayList<>();
  private final List<ChildProcess> clients = new ArrayList<>();
  private long askedNanos;

  ReplicaSet(DemoOptions options, Fleet fleet, Relay relay, DemoLog demoLog, Workload workload) throws IOException {
    this.options = options;
    this.fleet = fleet;
    this.relay = relay;
    this.demoLog = demoLog;
    this.workload = workload;
    portBase = options.portBase() == 0 ? Fleet.freePorts(3 * ever()) : options.portBase();
  }

  // ---- the run ---------------------------------------------------------------------------------------------------

  /// Starts the replicas and, when they have formed the group, the clients.
  void begin() throws IOException, InterruptedException, Fleet.Broken {
    int count = options.scenario().replicas();
    String load =
        options.scenario().endless()
            ? "up to " + ProgressDisplay.count(options.rate()) + " transactions per second"
            : ProgressDisplay.count(workload.transactions().size()) + " transactions";
    demoLog.event(
        "%d replicas, %d clients, %s; data in %s".formatted(count, options.clients(), load, fleet.directory()));
    if (isRelayed()) {
      for (int i = 1; i <= count; i++) {
        relay.open(relayPort(i), memberPort(i));
      }
    }
    for (int i = 1; i <= count; i++) {
      start(i, i == 1 ? "create" : "join");
    }
    await("the group to form", () -> replicas.values().stream().allMatch(ReplicaSet::serves));
    demoLog.formed();
    for (int id = 1; id <= options.clients(); id++) {
      clients.add(startClient(id));
    }
    await(
        "the clients to start",
        () -> clients.stream().allMatch(child -> child.last(StatusLine.Progress.class) != null));
    clients.forEach(child -> child.tell("go"));
  }

  /// Has the clients finish, stops the replicas and compares what they leave behind.
  ///
  /// @return whether all that was promised holds
  boolean end() throws IOException, InterruptedException, Fleet.Broken, SQLException {
    if (options.scenario().endless()) {
      clients.forEach(child -> child.tell("stop"));
    }
    await("the last transactions", () -> clients.stream().allMatch(ChildProcess::ended));
    await("the replicas to catch up", () -> replicas.values().stream().allMatch(ReplicaSet::serves));
    ask();
    await("all replicas to be at the same position", () -> positions().stream().distinct().count() == 1);
    // A replica that was started again has seen only some of the retries.
    long retries = replicas.values().stream().mapToLong(child -> status(child).retries()).max().orElse(0);
    for (ChildProcess child : replicas.values()) {
      child.tell("quit");
      await(child.name + " to leave", child::ended);
    }
    return judge(retries);
  }

  private boolean judge(long retries) throws IOException, SQLException {
    var asked = new TreeMap<Long, Audit.Client>();
    for (int id = 1; id <= options.clients(); id++) {
      List<Transaction> share = AccountClient.share(workload.transactions(), id - 1, options.clients());
      Audit.Client client = Audit.Client.of(share, log(id));
      asked.put((long) id, options.scenario().endless() ? client.repeated() : client);
    }
    var audit = new Audit(asked);
    for (ChildProcess child : replicas.values()) {
      audit.inspect(child.name, directory(child.name));
    }
    for (String name : departed) {
      audit.inspectDeparted(name, directory(name));
    }
    return demoLog.sumUp(audit, clients.stream().map(ReplicaSet::progress).toList(), retries);
  }

  // ---- what a scenario can do -----------------------------------------------------------------------------------

  /// Starts a replica that joins, for the first time or again.
  ChildProcess join(int index) throws IOException {
    return start(index, "join");
  }

  /// Starts a replica that is to create the group.
  ChildProcess create(int index) throws IOException {
    return start(index, "create");
  }

  /// Has a replica leave the group; ends when its process has.
  void leave(ChildProcess replica) throws InterruptedException, Fleet.Broken {
    replica.tell("quit");
    await(replica.name + " to leave", replica::ended);
  }

  /// A replica that has left does not come back; its database is audited for what it held when it left.
  void forget(ChildProcess replica) {
    replicas.remove(index(replica));
    departed.add(replica.name);
  }

  /// Kills replicas, all at once; ends when their processes have.
  void kill(List<ChildProcess> victims) throws InterruptedException, Fleet.Broken {
    victims.forEach(ChildProcess::kill);
    await("the end of those that were killed", () -> victims.stream().allMatch(ChildProcess::ended));
  }

  /// Lets the clients send what is behind their limit.
  void goOn() {
    clients.forEach(child -> child.tell("on"));
  }

  /// Waits until a replica serves.
  void awaitService(ChildProcess replica) throws InterruptedException, Fleet.Broken {
    await(replica.name + " to serve", () -> serves(replica));
  }

  /// Waits until so many more transactions are acknowledged.
  void awaitAnswers(long more) throws InterruptedException, Fleet.Broken {
    long goal = answered() + more;
    await(ProgressDisplay.count(more) + " more transactions", () -> answered() >= goal);
  }

  /// The replicas that are not gone for good, those that started last at the end.
  List<ChildProcess> replicas() {
    return List.copyOf(replicas.values());
  }

  /// Those of them that run.
  List<ChildProcess> living() {
    return replicas.values().stream().filter(child -> !child.ended()).toList();
  }

  /// The replicas in the order of their seniority in the view: the first one is the sequencer, if there is one.
  List<ChildProcess> bySeniority() throws InterruptedException, Fleet.Broken {
    ask();
    ChildProcess witness = replicas.values().stream().filter(ReplicaSet::serves).findFirst().orElseThrow();
    List<String> members = status(witness).members(); // one that has just left may still be among them
    return members.stream()
        .flatMap(name -> replicas.values().stream().filter(child -> child.name.equals(name) && !child.ended()))
        .toList();
  }

  /// Asks all replicas that live, and waits for the answers.
  List<StatusLine.Status> ask() throws InterruptedException, Fleet.Broken {
    List<ChildProcess> living =
        replicas.values().stream()
            .filter(child -> !child.ended() && child.last(StatusLine.Installed.class) != null)
            .toList();
    living.forEach(child -> child.forget(StatusLine.Status.class));
    askedNanos = 0;
    await(
        "the replicas to answer", () -> living.stream().allMatch(child -> child.last(StatusLine.Status.class) != null));
    return living.stream().map(ReplicaSet::status).toList();
  }

  /// How many transactions have been acknowledged, as far as the clients have reported.
  long answered() {
    return clients.stream()
        .map(child -> child.last(StatusLine.Progress.class))
        .mapToLong(p -> p == null ? 0 : p.answered())
        .sum();
  }

  /// How many transactions the clients send in a second.
  int rate() {
    return options.rate();
  }

  int transactions() {
    return workload.transactions().size();
  }

  /// Where clients reach a replica.
  String clientPort(ChildProcess replica) {
    return "127.0.0.1:" + clientPort(index(replica));
  }

  /// Where other replicas reach a replica.
  String memberAddress(ChildProcess replica) {
    return memberAddress(index(replica));
  }

  /// Follows the processes until something is so; gives up when nothing moves any more.
  void await(String what, BooleanSupplier done) throws InterruptedException, Fleet.Broken {
    long startNanos = System.nanoTime();
    long movedNanos = startNanos;
    long movesBefore = -1;
    while (!done.getAsBoolean()) {
      long now = System.nanoTime();
      if (now - askedNanos > ASK_EVERY.toNanos()) {
        askedNanos = now;
        replicas.values().stream().filter(child -> !child.ended()).forEach(child -> child.tell("status"));
        demoLog.progress(answered());
      }
      ChildProcess.Notice notice = fleet.poll(POLL);
      if (notice != null && notice.report() instanceof StatusLine report) {
        demoLog.reported(notice.child(), report);
      }
      if (moves() != movesBefore) {
        movesBefore = moves();
        movedNanos = now;
      }
      boolean stuck = options.scenario().endless() && now - startNanos > STEP_MAX.toNanos();
      if (stuck || now - movedNanos > PATIENCE.toNanos()) {
        throw new Fleet.Broken("waited in vain for " + what + ".\n" + fleet.lastWords());
      }
    }
  }

  /// A number that changes whenever anything goes on.
  private long moves() {
    long moves = answered() + demoLog.views();
    for (ChildProcess child : fleet.children()) {
      StatusLine.Status status = child.last(StatusLine.Status.class);
      StatusLine.Receiving receiving = child.last(StatusLine.Receiving.class);
      moves +=
          (status == null ? 0 : status.next()) + (receiving == null ? 0 : receiving.bytes()) + (child.ended() ? 1 : 0);
    }
    return moves;
  }

  // ---- processes and their reports -------------------------------------------------------------------------------

  private ChildProcess start(int index, String role) throws IOException {
    String name = "replica-" + index;
    var arguments =
        new ArrayList<>(
            List.of(
                "--name=" + name,
                "--role=" + role,
                "--order=" + options.ordering(),
                "--transport=" + options.transport(),
                "--listen=127.0.0.1:" + memberPort(index),
                "--contacts=" + addresses(this::memberAddress),
                "--clients=127.0.0.1:" + clientPort(index),
                "--data=" + directory(name),
                "--fsync=" + options.durability()));
    if (options.tls() != null) {
      arguments.add("--tls=" + options.tls());
    }
    if (isRelayed()) {
      arguments.add("--advertise=" + memberAddress(index));
    }
    ChildProcess child = fleet.start(name, AccountReplica.class, arguments);
    replicas.put(index, child);
    return child;
  }

  private ChildProcess startClient(int id) throws IOException {
    return fleet.start(
        "client-" + id,
        AccountClient.class,
        List.of(
            "--id=" + id,
            "--file=" + workload.file(),
            "--share=" + (id - 1) + "/" + options.clients(),
            "--replicas=" + addresses(index -> "127.0.0.1:" + clientPort(index)),
            "--log=" + log(id),
            "--window=" + WINDOW,
            "--rate=" + (options.scenario().endless() ? options.rate() / options.clients() : 0),
            "--limit=" + (options.scenario() instanceof Scenario.Kill ? limit() : 0)));
  }

  /// How much of its share a client sends before [#goOn]: two thirds. Else a quick one would be through with all of it
  /// before something happens to the replicas at one third.
  private int limit() {
    return workload.transactions().size() * 2 / 3 / options.clients() + 1;
  }

  private boolean isRelayed() {
    return options.scenario() instanceof Scenario.Split;
  }

  private int ever() {
    return options.scenario().replicasEver();
  }

  private int memberPort(int index) {
    return portBase + index - 1;
  }

  private int clientPort(int index) {
    return portBase + ever() + index - 1;
  }

  private int relayPort(int index) {
    return portBase + 2 * ever() + index - 1;
  }

  private String memberAddress(int index) {
    return "127.0.0.1:" + (isRelayed() ? relayPort(index) : memberPort(index));
  }

  private String addresses(IntFunction<String> address) {
    return IntStream.rangeClosed(1, ever()).mapToObj(address).collect(Collectors.joining(","));
  }

  private Path directory(String replica) {
    return fleet.directory().resolve(replica);
  }

  private Path log(int client) {
    return fleet.directory().resolve("client-" + client + ".log");
  }

  private List<Long> positions() {
    return replicas.values().stream().map(child -> status(child).next()).toList();
  }

  /// Whether a replica serves clients, as far as it has reported.
  static boolean serves(ChildProcess replica) {
    return replica.last(StatusLine.CaughtUp.class) != null && !replica.ended();
  }

  /// The number in a replica's name.
  static int index(ChildProcess replica) {
    return Integer.parseInt(replica.name.substring(replica.name.indexOf('-') + 1));
  }

  static StatusLine.Status status(ChildProcess replica) {
    return Objects.requireNonNull(replica.last(StatusLine.Status.class), replica.name);
  }

  private static StatusLine.Progress progress(ChildProcess client) {
    return Objects.requireNonNull(client.last(StatusLine.Progress.class), client.name);
  }
}
