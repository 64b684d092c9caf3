package org.tutti.examples.accounts;

import java.io.IOException;
import java.io.PrintStream;
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
import java.util.stream.LongStream;

/// Runs the accounts service as processes of the operating system, kills some of them and audits what is left.
///
/// 1. Replicas start and form the group; clients start and send their shares of a file of transactions.
/// 2. When a third is answered, the sequencer (and with `kill` 2 the next in line) is killed with SIGKILL.
/// 3. When two thirds are answered it is started again: a new incarnation that knows nothing and gets the state.
/// 4. When all is answered and every replica has reached the same position, the replicas leave the group and end.
/// 5. The databases are compared with each other, with the clients' logs and with the file; see [Audit].
public final class Demo {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration ASK_EVERY = Duration.ofMillis(250);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int WINDOW = 64;

  private final DemoOptions options;
  private final Chronicle chronicle;
  private final Fleet fleet;
  private final Path input;
  private final List<Transaction> transactions;
  private final int portBase;
  private final Map<String, Child> replicas = new TreeMap<>();
  private final List<Child> clients = new ArrayList<>();
  private long askedNanos;

  private Demo(DemoOptions options, Screen screen, Fleet fleet, Path input) throws IOException {
    this.options = options;
    this.fleet = fleet;
    this.input = input;
    transactions = TransactionFile.read(input);
    if (transactions.isEmpty()) {
      throw new IOException(input + " holds no transactions");
    }
    chronicle = new Chronicle(screen, transactions.size());
    portBase = options.portBase() == 0 ? Fleet.freePorts(2 * options.replicas()) : options.portBase();
  }

  /// Runs a demo to its end.
  ///
  /// @param options what to do
  /// @param out     where to show it
  /// @return whether everything that was promised holds
  /// @throws IOException          when a file cannot be read or written, or what is in it is wrong
  /// @throws InterruptedException when interrupted; all processes are ended
  public static boolean run(DemoOptions options, PrintStream out) throws IOException, InterruptedException {
    Screen screen = new Screen(out);
    try (Fleet fleet = new Fleet(options.keep())) {
      Path input = options.input();
      if (input == null) {
        input = fleet.directory().resolve("transactions.csv");
        TransactionFile.make(input, options.transactions(), options.seed());
      }
      return new Demo(options, screen, fleet, input).play();
    } catch (Fleet.Broken e) {
      screen.result("verdict", "BROKEN: " + e.getMessage());
      return false;
    } catch (SQLException e) {
      screen.result("verdict", "BROKEN: a database cannot be read: " + e.getMessage());
      return false;
    }
  }

  private boolean play() throws IOException, InterruptedException, Fleet.Broken, SQLException {
    startGroup();
    startClients();
    await("a third of the transactions", () -> answered() * 3 >= transactions.size());
    List<Child> victims = killSequencer();
    await("two thirds of the transactions", () -> answered() * 3 >= transactions.size() * 2L);
    rejoin(victims);
    await("the last transactions", () -> clients.stream().allMatch(Child::ended));
    await("the replicas to catch up", () -> replicas.values().stream().allMatch(Demo::serves));
    settle();
    stopReplicas();
    return judge();
  }

  private void startGroup() throws IOException, InterruptedException, Fleet.Broken {
    chronicle.event(
        "%d replicas, %d clients, %s transactions; data in %s"
            .formatted(options.replicas(), options.clients(), Screen.count(transactions.size()), fleet.directory()));
    for (int i = 1; i <= options.replicas(); i++) {
      startReplica(i, i == 1 ? "create" : "join");
    }
    await("the group to form", () -> replicas.values().stream().allMatch(Demo::serves));
    chronicle.event("all replicas serve");
  }

  private Child startReplica(int index, String role) throws IOException {
    String name = "replica-" + index;
    var arguments =
        List.of(
            "--name=" + name,
            "--role=" + role,
            "--order=" + options.ordering(),
            "--listen=" + memberAddress(index),
            "--contacts=" + addresses(this::memberAddress),
            "--clients=" + clientAddress(index),
            "--data=" + fleet.directory().resolve(name));
    Child child = fleet.start(name, AccountReplica.class, arguments);
    replicas.put(name, child);
    return child;
  }

  private void startClients() throws IOException, InterruptedException, Fleet.Broken {
    for (int id = 1; id <= options.clients(); id++) {
      var arguments =
          List.of(
              "--id=" + id,
              "--file=" + input,
              "--share=" + (id - 1) + "/" + options.clients(),
              "--replicas=" + addresses(this::clientAddress),
              "--log=" + log(id),
              "--window=" + WINDOW);
      clients.add(fleet.start("client-" + id, AccountClient.class, arguments));
    }
    await("the clients to start", () -> clients.stream().allMatch(child -> child.last(Report.Progress.class) != null));
    clients.forEach(child -> child.tell("go"));
  }

  private String memberAddress(int index) {
    return "127.0.0.1:" + (portBase + index - 1);
  }

  private String clientAddress(int index) {
    return "127.0.0.1:" + (portBase + options.replicas() + index - 1);
  }

  private String addresses(IntFunction<String> address) {
    return IntStream.rangeClosed(1, options.replicas()).mapToObj(address).collect(Collectors.joining(","));
  }

  private Path log(int client) {
    return fleet.directory().resolve("client-" + client + ".log");
  }

  /// Asks the replicas who the sequencer is, and kills it and those next in line, all at once.
  private List<Child> killSequencer() throws InterruptedException, Fleet.Broken {
    List<String> bySeniority = ask().getFirst().members();
    List<Child> victims = bySeniority.subList(0, options.kill()).stream().map(replicas::get).toList();
    victims.forEach(Child::kill);
    for (Child victim : victims) {
      int rank = bySeniority.indexOf(victim.name);
      chronicle.killed(victim.name, rank == 0 ? "the sequencer" : "of rank " + rank);
    }
    await("the end of those that were killed", () -> victims.stream().allMatch(Child::ended));
    return victims;
  }

  private void rejoin(List<Child> victims) throws IOException, InterruptedException, Fleet.Broken {
    if (options.killDuringTransfer()) {
      killDuringTransfer(index(victims.getFirst()));
    }
    for (Child victim : victims) {
      startReplica(index(victim), "join");
      chronicle.event("started " + victim.name + " again");
    }
  }

  /// Kills a replica at the first bytes of its state. Whether it really had not got all of it is known afterwards, from
  /// what it said before its end; should it have been too quick, it is tried again.
  private void killDuringTransfer(int index) throws IOException, InterruptedException, Fleet.Broken {
    Child child;
    do {
      child = startReplica(index, "join");
      chronicle.event("started " + child.name + " again, to be killed while it receives the state");
      Child doomed = child;
      await("the state transfer to begin", () -> doomed.last(Report.Receiving.class) != null);
      doomed.kill();
      await("the end of " + child.name, child::ended);
      chronicle.killed(child.name, "while it received the state");
    } while (child.last(Report.Received.class) != null);
  }

  /// Waits until every replica has reached the same position. All that is answered is below it then.
  private void settle() throws InterruptedException, Fleet.Broken {
    ask();
    await("all replicas to be at the same position", () -> positions().distinct().count() == 1);
  }

  private LongStream positions() {
    return replicas.values().stream().mapToLong(child -> status(child).next());
  }

  /// Asks all replicas that serve, and waits for the answers.
  private List<Report.Status> ask() throws InterruptedException, Fleet.Broken {
    List<Child> living = replicas.values().stream().filter(Demo::serves).toList();
    living.forEach(child -> child.forget(Report.Status.class));
    askedNanos = 0;
    await("the replicas to answer", () -> living.stream().allMatch(child -> child.last(Report.Status.class) != null));
    return living.stream().map(Demo::status).toList();
  }

  private static Report.Status status(Child replica) {
    return Objects.requireNonNull(replica.last(Report.Status.class), replica.name);
  }

  private void stopReplicas() throws InterruptedException, Fleet.Broken {
    for (Child child : replicas.values()) {
      child.tell("quit");
      await(child.name + " to leave", child::ended);
    }
  }

  /// Follows the processes until something is so; gives up when nothing moves any more.
  private void await(String what, BooleanSupplier done) throws InterruptedException, Fleet.Broken {
    long movedNanos = System.nanoTime();
    long movesBefore = -1;
    while (!done.getAsBoolean()) {
      long now = System.nanoTime();
      if (now - askedNanos > ASK_EVERY.toNanos()) {
        askedNanos = now;
        replicas.values().stream().filter(child -> !child.ended()).forEach(child -> child.tell("status"));
        chronicle.progress(answered());
      }
      Child.Notice notice = fleet.poll(POLL);
      if (notice != null && notice.report() instanceof Report report) {
        chronicle.reported(notice.child(), report);
      }
      if (moves() != movesBefore) {
        movesBefore = moves();
        movedNanos = now;
      } else if (now - movedNanos > PATIENCE.toNanos()) {
        throw new Fleet.Broken(
            "nothing moved for " + PATIENCE.toSeconds() + " s while waiting for " + what + ".\n" + fleet.lastWords());
      }
    }
  }

  /// A number that changes whenever anything goes on.
  private long moves() {
    long moves = answered() + chronicle.views();
    for (Child child : fleet.children()) {
      Report.Status status = child.last(Report.Status.class);
      Report.Receiving receiving = child.last(Report.Receiving.class);
      moves +=
          (status == null ? 0 : status.next()) + (receiving == null ? 0 : receiving.bytes()) + (child.ended() ? 1 : 0);
    }
    return moves;
  }

  private long answered() {
    return clients.stream()
        .map(child -> child.last(Report.Progress.class))
        .mapToLong(p -> p == null ? 0 : p.answered())
        .sum();
  }

  private static boolean serves(Child replica) {
    return replica.last(Report.CaughtUp.class) != null && !replica.ended();
  }

  private static int index(Child replica) {
    return Integer.parseInt(replica.name.substring(replica.name.indexOf('-') + 1));
  }

  private boolean judge() throws IOException, SQLException {
    var asked = new TreeMap<Long, Audit.Client>();
    for (int id = 1; id <= options.clients(); id++) {
      asked.put((long) id, Audit.Client.of(AccountClient.share(transactions, id - 1, options.clients()), log(id)));
    }
    var audit = new Audit(asked);
    for (String name : replicas.keySet()) {
      audit.inspect(name, fleet.directory().resolve(name));
    }
    // A replica that was started again has seen only some of the retries.
    long retries = replicas.values().stream().mapToLong(child -> status(child).retries()).max().orElse(0);
    chronicle.sumUp(audit, clients.stream().map(Demo::progress).toList(), retries);
    return audit.findings().isEmpty();
  }

  private static Report.Progress progress(Child client) {
    return Objects.requireNonNull(client.last(Report.Progress.class), client.name);
  }
}
