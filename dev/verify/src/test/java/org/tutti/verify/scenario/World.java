package org.tutti.verify.scenario;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.engine.Input;
import org.tutti.fixture.MemoryStorage;
import org.tutti.transport.Address;

/// Simulated time, a network that delays every frame by one millisecond and loses what crosses a cut, and a few nodes.
/// Nothing else happens, so a script has one trace.
///
/// The nodes are the production's engines. In one millisecond a node takes everything that has come, in one turn.
final class World {
  static final String GROUP = "bank";
  static final long MILLI = 1_000_000;

  private static final long WAY_NANOS = MILLI;
  private static final long STEP_NANOS = MILLI / 100; // a turn takes at least that long
  private static final long UNTIL_MAX_NANOS = 30_000 * MILLI;

  private record Later(long nanos, long order, Runnable action) implements Comparable<Later> {
    @Override
    public int compareTo(Later other) {
      int byTime = Long.compare(nanos, other.nanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final Map<String, Life> nodes = new TreeMap<>();
  private final Map<String, MemoryStorage> storages = new TreeMap<>();
  private final Map<ViewId, View> views = new TreeMap<>();
  private final PriorityQueue<Later> later = new PriorityQueue<>();
  private final List<String> lines = new ArrayList<>();
  private final List<String> cuts = new ArrayList<>(); // "n1 n2": from the first to the second
  private long order;
  private long nowNanos;
  private boolean showsOrder;

  // ---- the nodes -------------------------------------------------------------------------------------------------

  /// Adds n1 to nN, each of which knows the addresses of all, and which are in no group.
  void populate(int count) {
    if (!nodes.isEmpty() || count < 1 || count > 9) {
      throw new IllegalArgumentException("1 to 9 nodes, once");
    }
    List<Address> all = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      all.add(addressOf("n" + i));
    }
    for (int i = 1; i <= count; i++) {
      storages.put("n" + i, new MemoryStorage());
      nodes.put("n" + i, new Life(this, "n" + i, 0, all, storages.get("n" + i)));
    }
  }

  static Address addressOf(String name) {
    return new Address(name + ":1");
  }

  /// The present life of a node.
  Life node(String name) {
    Life life = nodes.get(name);
    if (life == null) {
      throw new IllegalArgumentException("there is no node " + name);
    }
    return life;
  }

  List<Life> nodes() {
    return List.copyOf(nodes.values());
  }

  void crash(String name) {
    node(name).crash();
    storages.get(name).crash();
  }

  /// Starts the next life of a node that has crashed.
  void restart(String name) {
    Life last = node(name);
    if (last.isAlive()) {
      throw new IllegalArgumentException(name + " has not crashed");
    }
    nodes.put(name, new Life(this, name, last.number() + 1, last.contacts(), storages.get(name)));
  }

  // ---- the network -----------------------------------------------------------------------------------------------

  /// From now on frames between nodes of different parts are lost.
  void partition(List<List<String>> parts) {
    heal();
    for (List<String> part : parts) {
      for (List<String> other : parts) {
        if (part != other) {
          part.forEach(from -> other.forEach(to -> cut(from, to)));
        }
      }
    }
  }

  /// From now on frames of one node to another are lost.
  void cut(String from, String to) {
    cuts.add(node(from).name() + " " + node(to).name());
  }

  void heal() {
    cuts.clear();
  }

  /// Sends a frame.
  ///
  /// @return whether it will arrive
  boolean send(Life from, Address to, byte[] frame) {
    String name = to.text().substring(0, to.text().indexOf(':'));
    if (!node(name).isAlive() || cuts.contains(from.name() + " " + name)) {
      return false;
    }
    later(WAY_NANOS, () -> arrive(to, frame));
    return true;
  }

  private void arrive(Address to, byte[] frame) {
    for (Life life : nodes.values()) {
      if (life.address().equals(to)) {
        life.take(new Input.Arrived(ByteBuffer.wrap(frame)));
      }
    }
  }

  // ---- time ------------------------------------------------------------------------------------------------------

  long nowNanos() {
    return nowNanos;
  }

  /// Puts something down for later.
  void later(long nanos, Runnable action) {
    later.add(new Later(nowNanos + nanos, order++, action));
  }

  /// Lets time pass.
  void run(long nanos) {
    advance(nowNanos + nanos, () -> false);
  }

  /// Lets time pass until something is so.
  void runUntil(BooleanSupplier condition, String words) {
    if (!advance(nowNanos + UNTIL_MAX_NANOS, condition)) {
      throw new IllegalStateException(UNTIL_MAX_NANOS / MILLI + " ms have passed and it is not so that " + words);
    }
  }

  private boolean advance(long endNanos, BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      long next = later.isEmpty() ? Long.MAX_VALUE : later.peek().nanos;
      for (Life life : nodes.values()) {
        next = Math.min(next, life.dueNanos());
      }
      if (next > endNanos) {
        nowNanos = endNanos;
        return false;
      }
      nowNanos = Math.max(nowNanos, next);
      turn();
    }
    return true;
  }

  private void turn() {
    while (!later.isEmpty() && later.peek().nanos <= nowNanos) {
      later.remove().action.run();
    }
    for (Life life : nodes.values()) {
      if (life.dueNanos() <= nowNanos) {
        life.turn(nowNanos, STEP_NANOS);
      }
    }
  }

  // ---- the trace -------------------------------------------------------------------------------------------------

  /// Shows batches and what the members say to order them, too.
  void showOrder(boolean whether) {
    showsOrder = whether;
  }

  boolean showsOrder() {
    return showsOrder;
  }

  /// Notes what happens now.
  void say(String what) {
    lines.add(String.format(Locale.ROOT, "%6dms %s", nowNanos / MILLI, what));
  }

  /// Shows something that does not happen, but is asked for.
  void answer(String line) {
    lines.add(line);
  }

  /// Whether a line with these words has been shown in this block of the script.
  boolean hasSaid(String words) {
    return lines.stream().anyMatch(line -> line.contains(words));
  }

  /// What was said since the last call.
  List<String> takeLines() {
    List<String> taken = List.copyOf(lines);
    lines.clear();
    return taken;
  }

  /// Somebody speaks of a view or installs it: from now on its ranks have names.
  void learn(View view) {
    views.put(view.id(), view);
  }

  /// The name of a member by its rank in a view.
  /// A view that somebody has installed, or null.
  @Nullable View view(ViewId id) {
    return views.get(id);
  }

  String nameOf(ViewId view, int rank) {
    @Nullable View known = views.get(view);
    return known == null || rank >= known.size() ? "rank " + rank : known.members().get(rank).name();
  }
}
