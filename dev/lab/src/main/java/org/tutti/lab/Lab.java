package org.tutti.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.lab.network.Conditions;
import org.tutti.lab.network.LabNetwork;
import org.tutti.lab.network.Unavailable;

/// A group of processes, each in a network namespace of its own, on a network that a script cuts and damages.
///
/// ```java
/// try (Lab lab = Lab.open(LabConfig.standard(5).withSeed(7))) {
///   lab.start();
///   lab.partition("n1 n2 | n3 n4 n5");
///   lab.awaitPrimary("n3", "n4", "n5");
///   lab.kill("n1");
///   lab.heal();
///   lab.restart("n1");
///   Verdict verdict = lab.finish();
/// }
/// ```
///
/// Nothing outlives it: not when it fails, nor when it is interrupted from the keyboard; and when it is killed, its
/// processes end by themselves. For one thread.
public final class Lab implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final long LOOK_NANOS = 20_000_000;
  private static final Duration QUIET = Duration.ofSeconds(1);

  private final LabConfig config;
  private final LabNetwork network;
  private final Path directory;
  private final LabProcesses processes;
  private final Thread hook = new Thread(this::sweep, "end of the lab");
  private volatile boolean closing;

  private Lab(LabConfig config, LabNetwork network, Path directory) {
    this.config = config;
    this.network = network;
    this.directory = directory;
    this.processes = new LabProcesses(config, network, directory);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// Makes the network; nothing runs there yet.
  ///
  /// @param config what it is made of
  /// @return the lab
  /// @throws Unavailable when network namespaces cannot be had here
  /// @throws IOException when the directory cannot be made
  public static Lab open(LabConfig config) throws Unavailable, IOException {
    Path directory = config.directory();
    if (directory == null) {
      directory = Files.createTempDirectory("tutti-lab-");
    } else if (Files.exists(directory) && !isEmpty(directory)) {
      throw new IOException(directory + " is not an empty directory");
    } else {
      Files.createDirectories(directory);
    }
    try {
      return new Lab(config, LabNetwork.open(config.nodes(), config.seed()), directory.toAbsolutePath());
    } catch (Unavailable e) {
      Files.delete(directory);
      throw e;
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  /// Where histories and logs are.
  ///
  /// @return the directory
  public Path directory() {
    return directory;
  }

  /// The network between the nodes.
  ///
  /// @return for what this class has no method for
  public LabNetwork network() {
    return network;
  }

  // ---- processes -------------------------------------------------------------------------------------------------

  /// Starts all members, the first of which makes the group, and waits until they are together; then starts the
  /// clients, if there are any.
  public void start() {
    for (String name : config.names()) {
      processes.start(name);
    }
    awaitCalm();
    processes.startClients();
  }

  /// Kills a member's process (SIGKILL).
  ///
  /// @param name whose
  public void kill(String name) {
    processes.life(name).kill();
  }

  /// Starts a member again that was killed; it joins as somebody new.
  ///
  /// @param name which
  public void restart(String name) {
    if (processes.life(name).isAlive()) {
      throw new IllegalArgumentException(name + " is alive");
    }
    processes.start(name);
  }

  /// Starts all members again that were killed.
  public void restartAll() {
    processes.missing().forEach(processes::start);
  }

  /// The most senior living member, as far as is known.
  ///
  /// @return its name
  public String senior() {
    look();
    return processes.senior().name;
  }

  /// Stops a member's process (SIGSTOP).
  ///
  /// @param name whose
  public void pause(String name) {
    processes.life(name).pause();
  }

  /// Lets a member's process go on (SIGCONT).
  ///
  /// @param name whose
  public void resume(String name) {
    processes.life(name).resume();
  }

  /// Changes the load.
  ///
  /// @param perSecond multicasts of each member; 0 for none
  public void rate(double perSecond) {
    processes.rate(perSecond);
  }

  // ---- network ---------------------------------------------------------------------------------------------------

  /// Splits the network; all cuts from before are void.
  ///
  /// @param parts names separated by spaces, parts by `|`; who is not named makes up one more part
  public void partition(String parts) {
    var part = new int[config.members()];
    int number = 0;
    for (String names : parts.split("\\|")) {
      number++;
      for (String name : names.trim().split("\\s+")) {
        part[network.numberOf(name)] = number;
      }
    }
    apply(Cuts.between(part));
  }

  /// Has exactly these directions cut and no others.
  ///
  /// @param cuts which
  public void apply(Cuts cuts) {
    for (int from = 0; from < config.members(); from++) {
      for (int to = 0; to < config.members(); to++) {
        network.cut(from, to, cuts.isCut(from, to));
      }
    }
  }

  /// Cuts one direction.
  ///
  /// @param from who is not heard any more
  /// @param to   by whom
  public void cut(String from, String to) {
    network.cut(network.numberOf(from), network.numberOf(to), true);
  }

  /// Lets a member hear nobody, while all others still hear it.
  ///
  /// @param name which; what it hears from itself stays
  public void deafen(String name) {
    for (String other : config.names()) {
      if (!other.equals(name)) {
        cut(other, name);
      }
    }
  }

  /// Joins one direction.
  ///
  /// @param from who is heard again
  /// @param to   by whom
  public void join(String from, String to) {
    network.cut(network.numberOf(from), network.numberOf(to), false);
  }

  /// Joins everything.
  public void heal() {
    apply(Cuts.NONE);
    if (config.clients() > 0) {
      clientsReach(config.names());
    }
  }

  /// Cuts the clients off from all members but some. Splits of the members leave that as it is; [#heal] ends it.
  ///
  /// @param names whom they hear, and who hears them
  void clientsReach(List<String> names) {
    int clients = network.numberOf(LabConfig.CLIENTS);
    for (String name : config.names()) {
      int member = network.numberOf(name);
      network.cut(clients, member, !names.contains(name));
      network.cut(member, clients, !names.contains(name));
    }
  }

  /// Changes all directions.
  ///
  /// @param conditions what happens to frames from now on
  public void conditions(Conditions conditions) {
    for (String from : config.nodes()) {
      for (String to : config.nodes()) {
        conditions(from, to, conditions);
      }
    }
  }

  /// Changes one direction.
  ///
  /// @param from       who sends
  /// @param to         who receives
  /// @param conditions what happens to frames from now on
  public void conditions(String from, String to, Conditions conditions) {
    network.set(network.numberOf(from), network.numberOf(to), conditions);
  }

  /// Resets the TCP connections between two members that carry something in some time.
  ///
  /// @param one    a member
  /// @param other  another
  /// @param within how long
  public void reset(String one, String other, Duration within) {
    network.reset(network.numberOf(one), network.numberOf(other), within);
    network.reset(network.numberOf(other), network.numberOf(one), within);
  }

  /// Resets the TCP connections between the clients, if there are any, and a member that carry something in some time.
  ///
  /// @param name   the member
  /// @param within how long
  void resetClients(String name, Duration within) {
    if (config.clients() > 0) {
      reset(name, LabConfig.CLIENTS, within);
    }
  }

  // ---- time ------------------------------------------------------------------------------------------------------

  /// Lets time pass.
  ///
  /// @param time how long
  public void pass(Duration time) {
    await(() -> false, time);
  }

  /// Waits until these members, and nobody else, are in a primary view that they have all installed.
  ///
  /// @param names who
  public void awaitPrimary(String... names) {
    if (!isPrimary(PATIENCE, names)) {
      throw new LabException("no primary view of " + Arrays.toString(names) + ": " + processes.progress());
    }
  }

  /// Waits until these members, and nobody else, are in a primary view that they have all installed.
  ///
  /// @param patience for how long
  /// @param names    who
  /// @return whether they are
  public boolean isPrimary(Duration patience, String... names) {
    List<LabProcess> expected = Arrays.stream(names).map(processes::life).toList();
    return await(() -> LabProcesses.apart(expected) == null, patience);
  }

  /// Waits until all who live are in one primary view, with their state.
  public void awaitCalm() {
    String obstacle = calm(PATIENCE);
    if (obstacle != null) {
      throw new LabException(obstacle);
    }
  }

  /// Waits until all who live are in one primary view, with their state.
  ///
  /// @param patience for how long
  /// @return null when they are, or else what keeps them from it
  public @Nullable String calm(Duration patience) {
    return await(() -> processes.apart() == null, patience) ? null : processes.apart();
  }

  /// Waits for something.
  ///
  /// @return whether it happened in time
  boolean await(BooleanSupplier condition, Duration patience) {
    long start = System.nanoTime();
    while (true) {
      look();
      if (condition.getAsBoolean()) {
        return true;
      }
      long left = patience.toNanos() - (System.nanoTime() - start);
      if (left <= 0) {
        return false;
      }
      LockSupport.parkNanos(Math.min(left, LOOK_NANOS));
      if (Thread.interrupted()) {
        Thread.currentThread().interrupt();
        throw new LabException("interrupted");
      }
    }
  }

  /// Reads all histories on, and sees that everything still works.
  private void look() {
    while (closing) {
      LockSupport.park(); // interrupted from the keyboard: the process is about to end
    }
    Throwable broken = network.failure();
    if (broken != null) {
      throw new LabException("the network broke: " + broken, broken);
    }
    processes.look();
  }

  // ---- what was seen ---------------------------------------------------------------------------------------------

  /// How many views were installed so far.
  ///
  /// @return each counted once
  public int views() {
    return processes.views();
  }

  /// How many deliveries there were so far, at all members.
  ///
  /// @return their number
  public long deliveries() {
    return processes.stops().deliveries();
  }

  /// The longest time in which nobody delivered anything.
  ///
  /// @param fromNanos from when on, by [System#nanoTime]
  /// @return until now
  public Duration longestStop(long fromNanos) {
    return Duration.ofNanos(processes.stops().longestNanos(fromNanos, System.nanoTime()));
  }

  /// The longest time in which one of some members delivered nothing.
  ///
  /// @param fromNanos from when on, by [System#nanoTime]
  /// @param names     who
  /// @return of the one that waited longest, until now
  public Duration longestStop(long fromNanos, String... names) {
    look();
    long now = System.nanoTime();
    return Arrays.stream(names)
        .map(name -> Duration.ofNanos(processes.life(name).stops.longestNanos(fromNanos, now)))
        .reduce(Duration.ZERO, (one, other) -> one.compareTo(other) >= 0 ? one : other);
  }

  /// The longest time in which no client got an answer though a quorum was connected throughout: a majority of the last
  /// primary view, alive and not stopped, hearing each other, and one of them the clients.
  ///
  /// @return since the beginning
  public Duration longestStopWithQuorum() {
    return Duration.ofNanos(processes.longestWithQuorumNanos());
  }

  // ---- the end ---------------------------------------------------------------------------------------------------

  /// Ends all faults, brings back who is missing, waits until the group has come to rest, and checks its histories.
  ///
  /// @return the verdict
  public LabVerdict finish() {
    String obstacle;
    try {
      obstacle = rest();
    } catch (LabException e) {
      obstacle = e.getMessage();
    }
    try {
      return HistoryFiles.read(directory).judge(obstacle);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private @Nullable String rest() {
    String obstacle = recover(PATIENCE);
    if (obstacle == null) {
      rate(0);
      processes.tell("once");
      obstacle = await(this::isQuiet, PATIENCE) ? null : processes.progress();
    }
    return obstacle;
  }

  /// Ends all faults, brings back who is missing, and waits until all are in one primary view, with their state.
  ///
  /// @param patience for how long
  /// @return null when they are, or else what keeps them from it
  public @Nullable String recover(Duration patience) {
    heal();
    conditions(Conditions.PERFECT);
    processes.living().stream().filter(LabProcess::isPaused).forEach(LabProcess::resume);
    restartAll();
    return calm(patience);
  }

  /// Whether nothing is under way and nothing happens.
  private boolean isQuiet() {
    long before = processes.stops().deliveries();
    return processes.isSettled()
        && !await(() -> processes.stops().deliveries() != before, QUIET)
        && processes.isSettled();
  }

  /// Ends all processes and removes the network. Histories and logs stay.
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      return; // interrupted from the keyboard: the hook is running already
    }
    sweep();
  }

  private void sweep() {
    closing = true;
    processes.destroy();
    network.close();
  }
}
