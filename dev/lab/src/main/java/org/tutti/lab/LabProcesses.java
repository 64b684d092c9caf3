package org.tutti.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.lab.network.LabNetwork;

/// The processes of a lab: who lives, and how far they are.
final class LabProcesses {
  private static final int PORT = 7000;
  private static final String CLIENTS_LOG = "clients.log";

  private final LabConfig config;
  private final LabNetwork network;
  private final Path directory;
  private final ConcurrentLinkedQueue<LabProcess> lives = new ConcurrentLinkedQueue<>(); // all ever
  private final Map<String, LabProcess> current = new LinkedHashMap<>();
  private final Set<ViewId> views = new TreeSet<>();
  private final Stops stops = new Stops();
  private final QuorumTimes quorum = new QuorumTimes();
  private volatile @Nullable ClientsProcess clients;
  private @Nullable View lastPrimary;
  private double rate;

  LabProcesses(LabConfig config, LabNetwork network, Path directory) {
    this.config = config;
    this.network = network;
    this.directory = directory;
    this.rate = config.rate();
  }

  /// Starts a process; the very first makes the group.
  void start(String name) {
    int node = network.numberOf(name);
    String title = name + "-" + (lives.stream().filter(life -> life.name.equals(name)).count() + 1);
    Path history = HistoryFiles.file(directory, title);
    var args = new ArrayList<String>(List.of(name, network.addressOf(node) + ":" + PORT, history.toString()));
    args.addAll(List.of(lives.isEmpty() ? "create" : "join", config.ordering().name(), config.transport()));
    args.add(Long.toString(config.seed()));
    args.addAll(addresses(PORT));
    Path log = directory.resolve(title + ".log");
    Class<?> program = config.clients() > 0 ? LabReplica.class : LabMember.class;
    LabProcess life = new LabProcess(name, history, log, command(node, program, args), this);
    lives.add(life);
    current.put(name, life);
    life.tell("rate " + rate);
  }

  /// Starts the process of the clients, if there are any.
  void startClients() {
    if (config.clients() > 0) {
      Path calls = directory.resolve(CallHistory.FILE);
      var args = new ArrayList<String>(List.of(calls.toString(), Long.toString(config.seed())));
      args.add(Integer.toString(config.clients()));
      args.addAll(addresses(LabReplica.PORT));
      List<String> command = command(network.numberOf(LabConfig.CLIENTS), LabClients.class, args);
      clients = new ClientsProcess(calls, directory.resolve(CLIENTS_LOG), command, stops);
      clients.tell("rate " + rate);
    }
  }

  private List<String> addresses(int port) {
    return config.names().stream().map(name -> network.addressOf(network.numberOf(name)) + ":" + port).toList();
  }

  /// A JVM at a node, made up as this one is, for a program.
  private List<String> command(int node, Class<?> program, List<String> args) {
    var command = new ArrayList<>(network.at(node));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Many JVMs on few cores.
    command.addAll(List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    Module module = program.getModule();
    if (module.isNamed()) {
      command.add("--enable-native-access=org.tutti.net");
      command.addAll(List.of("-p", System.getProperty("jdk.module.path")));
      command.addAll(List.of("-m", module.getName() + "/" + program.getName()));
    } else {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    }
    command.addAll(args);
    return command;
  }

  /// A process has installed a view.
  void viewed(View view) {
    views.add(view.id());
    if (view.primary() && (lastPrimary == null || view.id().compareTo(lastPrimary.id()) > 0)) {
      lastPrimary = view;
    }
  }

  LabProcess life(String name) {
    LabProcess life = current.get(name);
    if (life == null) {
      throw new IllegalArgumentException("there is no member '" + name + "' but " + current.keySet());
    }
    return life;
  }

  List<LabProcess> living() {
    return current.values().stream().filter(LabProcess::isAlive).toList();
  }

  /// Who was killed and not started again.
  List<String> missing() {
    return current.values().stream().filter(life -> !life.isAlive() && !life.failed()).map(life -> life.name).toList();
  }

  /// The most senior living member, as far as is known.
  LabProcess senior() {
    List<LabProcess> living = living();
    View view = living.getFirst().view();
    return living.stream()
        .filter(life -> view != null && view.senior().equals(life.self()))
        .findFirst()
        .orElse(living.getFirst());
  }

  /// Tells members, and clients.
  void tell(String command) {
    living().forEach(life -> life.tell(command));
    if (clients != null) {
      clients.tell(command);
    }
  }

  void rate(double perSecond) {
    rate = perSecond;
    tell("rate " + perSecond);
  }

  /// Reads all histories on.
  ///
  /// @throws LabException when a process ended that nobody killed
  void look() {
    for (LabProcess life : current.values()) {
      if (life.isAlive()) {
        life.look();
      }
      if (life.failed()) {
        life.look();
        String reason = life.closed() == null ? "" : ", closed: " + life.closed();
        throw new LabException(life.name + " ended with exit code " + life.exitCode() + reason + "; see " + life.log);
      }
    }
    lookAtClients();
  }

  /// Reads the calls on, and looks whether a quorum is connected.
  private void lookAtClients() {
    ClientsProcess process = clients;
    View view = lastPrimary;
    if (process == null || view == null) {
      return;
    }
    process.look();
    if (!process.isCalling() || rate == 0) {
      quorum.end(System.nanoTime());
      return;
    }
    int station = network.numberOf(LabConfig.CLIENTS);
    int[] nodes =
        living().stream()
            .filter(life -> !life.isPaused() && life.self() != null && view.members().contains(life.self()))
            .mapToInt(life -> network.numberOf(life.name))
            .toArray();
    var hears = new boolean[nodes.length][nodes.length];
    for (int one = 0; one < nodes.length; one++) {
      for (int other = 0; other < nodes.length; other++) {
        int partner = one == other ? station : nodes[other];
        hears[one][other] = !network.isCut(nodes[one], partner) && !network.isCut(partner, nodes[one]);
      }
    }
    quorum.look(System.nanoTime(), hears, view.members().size() / 2 + 1);
  }

  /// The longest time without an answer in which a quorum was connected throughout.
  long longestWithQuorumNanos() {
    return quorum.longestNanos(stops, System.nanoTime());
  }

  /// What keeps all who live from being together, and working.
  @Nullable String apart() {
    return apart(living());
  }

  /// What keeps some members from being together, with nobody else, and working.
  static @Nullable String apart(List<LabProcess> expected) {
    return expected.stream().allMatch(LabProcess::isActive) ? asunder(expected) : progress(expected);
  }

  private static @Nullable String asunder(List<LabProcess> expected) {
    Set<MemberId> ids = expected.stream().map(LabProcess::self).collect(Collectors.toSet());
    for (LabProcess life : expected) {
      View view = life.view();
      if (life.closed() != null) {
        return life.name + " was closed: " + life.closed();
      }
      boolean together = view != null && view.primary() && view.equals(expected.getFirst().view());
      if (!together || life.isWaiting() || !ids.equals(Set.copyOf(view.members()))) {
        return progress(expected);
      }
    }
    return null;
  }

  /// Whether all who live are together, have come equally far, and know the fates of all that they multicast.
  boolean isSettled() {
    long position = living().getFirst().position();
    return asunder(living()) == null
        && (clients == null || clients.isSettled())
        && living().stream().allMatch(life -> life.isDecided() && life.position() == position);
  }

  /// How far all are, in words.
  String progress() {
    return progress(living());
  }

  private static String progress(List<LabProcess> members) {
    return members.stream().map(LabProcess::progress).collect(Collectors.joining("; "));
  }

  int views() {
    return views.size();
  }

  Stops stops() {
    return stops;
  }

  /// Ends all processes.
  void destroy() {
    lives.forEach(LabProcess::destroy);
    if (clients != null) {
      clients.destroy();
    }
  }
}
