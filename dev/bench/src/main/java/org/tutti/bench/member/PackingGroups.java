package org.tutti.bench.member;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.GroupListener;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Packing;
import org.tutti.Service;
import org.tutti.View;

/// Groups of one node that differ in how their members pack; one at a time has something to do.
final class PackingGroups {
  private static final Duration DELAY_MAX = Duration.ofMillis(2); // as the other policies
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long POLL_NANOS = 500_000;
  private static final int RANK = 3;

  private record Place(Group group, AtomicInteger degree, Listener listener) {}

  private final Node node;
  private final GroupConfig config;
  private final MemberConfig member;
  private final int size;
  private final Runnable delivered;
  private final @Nullable DeliveryTable table;
  private final Map<String, Place> places = new TreeMap<>();

  /// @param node      which enters them
  /// @param config    of the groups
  /// @param member    but for the packing
  /// @param size      how many members they have
  /// @param delivered called for each delivery
  /// @param table     into which each delivery is written before; null for none
  PackingGroups(
      Node node, GroupConfig config, MemberConfig member, int size, Runnable delivered, @Nullable DeliveryTable table) {
    this.node = node;
    this.config = config;
    this.member = member;
    this.size = size;
    this.delivered = delivered;
    this.table = table;
  }

  /// How a policy is called in commands: natural, hill-climb, or a number for a fixed degree.
  private static Packing packing(String name) {
    return switch (name) {
      case "natural" -> Packing.natural();
      case "hill-climb" -> Packing.hillClimb();
      default -> Packing.fixed(Integer.parseInt(name), DELAY_MAX);
    };
  }

  /// `enter GROUP PACKING RANK`, at one process after the other; `together GROUP`; `source GROUP SOURCE NANOS`;
  /// `exit GROUP`.
  Map<String, ?> perform(String[] command) throws InterruptedException, TimeoutException {
    String name = command[1];
    return switch (command[0]) {
      case "enter" -> enter(name, packing(command[2]), Integer.parseInt(command[RANK]));
      case "together" -> await(place(name), size);
      case "source" -> source(place(name), TrafficSource.of(command[2]), Long.parseLong(command[RANK]));
      case "exit" -> exit(name);
      default -> throw new IllegalArgumentException("no command: " + command[0]);
    };
  }

  private Place place(String name) {
    Place place = places.get(name);
    if (place == null) {
      throw new IllegalArgumentException("not in group " + name);
    }
    return place;
  }

  private Map<String, ?> enter(String name, Packing packing, int rank) throws InterruptedException, TimeoutException {
    if (places.containsKey(name)) {
      return Map.of();
    }
    var degree = new AtomicInteger();
    var listener = new Listener();
    MemberConfig.Builder builder = member.toBuilder().packing(packing.watched(degree::set));
    MemberConfig how = table == null ? builder.listener(listener).build() : builder.build();
    Group group = rank == 0 ? node.create(name, config, how) : node.join(name, config, how);
    var place = new Place(group, degree, listener);
    if (table != null) {
      Thread.ofPlatform().daemon().name("writer of " + name).start(() -> write(group, table, listener));
    }
    places.put(name, place);
    return await(place, rank + 1);
  }

  private Map<String, ?> await(Place place, int members) throws InterruptedException, TimeoutException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    for (View view = place.group.view(); view == null || view.size() < members; view = place.group.view()) {
      String closed = place.listener.closed;
      if (closed != null || System.nanoTime() > end) {
        throw new TimeoutException("no view of " + members + " members but " + view + ", closed: " + closed);
      }
      LockSupport.parkNanos(POLL_NANOS);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    }
    return Map.of();
  }

  private Map<String, ?> source(Place place, TrafficSource source, long nanos) throws InterruptedException {
    TrafficSource.Run run = source.run(place.group, nanos);
    var answer = new LinkedHashMap<String, Object>(Worker.times(run.times()));
    answer.put("sent", run.sent());
    answer.put("start", run.start());
    answer.put("degree", place.degree.get());
    return answer;
  }

  private Map<String, ?> exit(String name) {
    Place place = place(name);
    places.remove(name);
    place.group.close();
    return Map.of();
  }

  /// A database is slow: an application has a thread of its own for it, not the engine's.
  private void write(Group group, DeliveryTable to, Listener listener) {
    try {
      while (true) {
        if (group.receive() instanceof Event.Delivery(_, _, _, ByteBuffer payload)) {
          to.insert(payload);
          written();
        }
      }
    } catch (GroupClosedException end) {
      listener.closed = end.getMessage();
    } catch (SQLException e) {
      e.printStackTrace(); // the log of this process has it, and the trial does not end
      group.close();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /// One group at a time delivers, each by a thread of its own.
  private synchronized void written() {
    delivered.run();
  }

  /// Counts, and nothing else.
  private final class Listener implements GroupListener {
    private volatile @Nullable String closed;

    @Override
    public void deliver(MemberId sender, Service service, long position, ByteBuffer payload) {
      delivered.run();
    }

    @Override
    public void closed(End end) {
      closed = end.words();
    }
  }
}
