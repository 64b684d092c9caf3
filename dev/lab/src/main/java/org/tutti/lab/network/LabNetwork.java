package org.tutti.lab.network;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Hosts that do not exist, on one that does: a network namespace for each node, with one interface, `eth0`, whose
/// frames go through a [VirtualSwitch] of this process. There is no other interface and no route to anywhere else, so
/// nothing that runs inside reaches the network of the host.
///
/// Neighbours are known by fixed entries: who is cut off does not have to be found again.
public final class LabNetwork implements AutoCloseable {
  /// How many nodes there can be.
  public static final int NODES_MAX = 16;

  private static final String SUBNET = "10.213.0.";

  private final List<String> names;
  private final Namespaces namespaces = new Namespaces();
  private final List<TapDevice> taps = new ArrayList<>();
  private final LinkDirection[][] ways;
  private final Arena arena = Arena.ofShared();
  private final Kernel kernel = new Kernel(arena);
  private @Nullable VirtualSwitch board;
  private @Nullable Thread thread;

  private LabNetwork(List<String> names, long seed) {
    this.names = List.copyOf(names);
    ways = new LinkDirection[names.size()][names.size()];
    for (int from = 0; from < ways.length; from++) {
      for (int to = 0; to < ways.length; to++) {
        ways[from][to] = new LinkDirection(from, to, seed);
      }
    }
  }

  /// Makes a network.
  ///
  /// @param names the nodes; letters and digits
  /// @param seed  decides which frames are lost and how long they take, for each pair on its own
  /// @return the network, all nodes joined
  /// @throws Unavailable when namespaces cannot be had here
  public static LabNetwork open(List<String> names, long seed) throws Unavailable {
    if (names.isEmpty() || names.size() > NODES_MAX || names.stream().distinct().count() != names.size()) {
      throw new IllegalArgumentException("1 to " + NODES_MAX + " different nodes, not " + names);
    }
    Namespaces.require();
    if (!Files.isWritable(Path.of(TapDevice.DEVICE))) {
      throw new Unavailable(
          TapDevice.DEVICE
              + (Files.exists(Path.of(TapDevice.DEVICE)) ? " needs root" : " does not exist in this kernel"));
    }
    var network = new LabNetwork(names, seed);
    Namespaces.build(network::build, network::close);
    return network;
  }

  private void build() throws IOException {
    for (int node = 0; node < names.size(); node++) {
      String namespace = namespaces.add(names.get(node));
      TapDevice tap = TapDevice.open(kernel, "tt" + ProcessHandle.current().pid() + "x" + node);
      taps.add(tap);
      Iproute.run("link", "set", tap.name(), "netns", namespace, "name", "eth0");
      Iproute.batch(namespace, setUp(node));
    }
    board = new VirtualSwitch(kernel, arena, taps, ways);
    thread = Thread.ofPlatform().daemon().name("switchboard").start(board);
  }

  private List<String> setUp(int node) {
    var commands = new ArrayList<String>();
    commands.add("link set lo up");
    commands.add("link set eth0 address " + VirtualSwitch.macOf(node) + " mtu 1500 txqueuelen 1000");
    commands.add("link set eth0 addrgenmode none"); // no IPv6: nobody asks for it, and it chatters
    commands.add("link set eth0 up");
    commands.add("addr add " + addressOf(node) + "/24 dev eth0");
    for (int other = 0; other < names.size(); other++) {
      if (other != node) {
        commands.add(
            "neigh replace " + addressOf(other) + " lladdr " + VirtualSwitch.macOf(other) + " nud permanent dev eth0");
      }
    }
    return commands;
  }

  /// The nodes' names.
  ///
  /// @return in the order of their numbers
  public List<String> names() {
    return names;
  }

  /// A node's number.
  ///
  /// @param name its name
  /// @return from 0
  /// @throws IllegalArgumentException when there is no such node
  public int numberOf(String name) {
    int number = names.indexOf(name);
    if (number < 0) {
      throw new IllegalArgumentException("there is no node '" + name + "' but " + names);
    }
    return number;
  }

  /// A node's address.
  ///
  /// @param node its number
  /// @return IPv4, as text
  public String addressOf(int node) {
    return SUBNET + (node + 1);
  }

  /// The beginning of a command that runs another one at a node; the process keeps its id.
  ///
  /// @param node the node's number
  /// @return the words before the other command's
  public List<String> at(int node) {
    return namespaces.at(node);
  }

  /// Cuts one direction, which also loses what is under way, or joins it.
  ///
  /// @param from  the sending node
  /// @param to    the receiving node
  /// @param value whether nothing comes through
  public void cut(int from, int to, boolean value) {
    ways[from][to].cut(value);
  }

  /// Whether a direction is cut.
  ///
  /// @param from the sending node
  /// @param to   the receiving node
  /// @return whether nothing comes through
  public boolean isCut(int from, int to) {
    return ways[from][to].isCut();
  }

  /// Changes one direction.
  ///
  /// @param from       the sending node
  /// @param to         the receiving node
  /// @param conditions what happens to its frames from now on
  public void set(int from, int to, Conditions conditions) {
    ways[from][to].set(conditions);
  }

  /// Resets each TCP connection between two nodes once whose frames come by in some time.
  ///
  /// @param one    a node
  /// @param other  another
  /// @param within for how long connections are looked for
  public void reset(int one, int other, Duration within) {
    var reset = new Reset(System.nanoTime() + within.toNanos());
    ways[one][other].reset(reset);
  }

  /// How many frames were sent and did not arrive, on all ways.
  ///
  /// @return since the beginning
  public long lost() {
    return sum(LinkDirection::lost);
  }

  /// How many connections were reset, on all ways.
  ///
  /// @return since the beginning
  public long resets() {
    return sum(LinkDirection::resets);
  }

  /// How many frames were sent, on all ways.
  ///
  /// @return since the beginning
  public long frames() {
    return sum(LinkDirection::frames);
  }

  private long sum(java.util.function.ToLongFunction<LinkDirection> what) {
    long sum = 0;
    for (LinkDirection[] row : ways) {
      for (LinkDirection way : row) {
        sum += what.applyAsLong(way);
      }
    }
    return sum;
  }

  /// What ended the network before its time.
  ///
  /// @return null while it works
  public @Nullable Throwable failure() {
    return board == null ? null : board.failure();
  }

  /// Removes the namespaces. What still runs inside keeps a world of its own without any interface.
  @Override
  public synchronized void close() {
    if (!arena.scope().isAlive()) {
      return;
    }
    if (board != null && thread != null) {
      board.end();
      join(thread);
    }
    namespaces.close();
    taps.forEach(tap -> kernel.close(tap.descriptor()));
    arena.close();
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // it ends within milliseconds, and uses what is closed after it
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
