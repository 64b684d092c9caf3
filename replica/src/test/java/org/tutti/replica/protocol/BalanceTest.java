package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.replica.Command;
import org.tutti.replica.Replication;
import org.tutti.replica.ServiceException;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;

/// Clients that call all the time, and replicas that share them; time is simulated, a message is ordered within a
/// millisecond, and the whiteboard takes 200.
class BalanceTest {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;
  private static final long BOARD = 200 * MILLI;
  private static final long LAST = 20 * SECOND; // when the last calls are made

  private record Event(long at, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<Server> servers = new ArrayList<>();
  private final List<Caller> callers = new ArrayList<>();
  private final TreeMap<Long, Link> links = new TreeMap<>();
  private long now = SECOND;
  private long order;
  private long position;
  private long linkNext = 1;
  private int viewNext = 1;

  private void after(long nanos, Runnable what) {
    events.add(new Event(now + nanos, order++, what));
  }

  private void runUntil(long end) {
    while (!events.isEmpty() && events.peek().at <= end) {
      Event next = events.remove();
      now = next.at;
      next.what.run();
    }
    now = end;
  }

  private static ByteBuffer bare(ByteBuffer frame) {
    return frame.position(Integer.BYTES).slice();
  }

  /// Counts for each client.
  private static final class Counters implements StateMachine {
    final TreeMap<Integer, Long> values = new TreeMap<>();

    @Override
    public ByteBuffer apply(Command command) {
      return ByteBuffer.allocate(8).putLong(0, values.merge(command.payload().getInt(), 1L, Long::sum));
    }

    @Override
    public Snapshot snapshot() {
      return out -> {};
    }

    @Override
    public void restore(InputStream in) {}
  }

  private record Link(Caller caller, Server server) {}

  private final class Server implements ReplicaProtocol.Group, ReplicaProtocol.Clients, ReplicaProtocol.Clock {
    final MemberId self;
    final ReplicaProtocol protocol;
    Balance.Load seen = new Balance.Load(-1, 0); // by the others

    Server(String name) {
      self = new MemberId(name, new Address(name + ":1"), 1);
      protocol =
          new ReplicaProtocol(
              "counters",
              name,
              name + ":2",
              new SessionTable.Limits(60_000, 1000, 100, 1 << 20),
              Replication.ACTIVE,
              new Counters(),
              this,
              this,
              this);
    }

    void work() {
      protocol.work();
      after(5 * MILLI, this::work);
    }

    @Override
    public boolean post(ByteBuffer message) {
      after(
          MILLI,
          () -> {
            long place = position++;
            servers.forEach(each -> each.protocol.delivered(self.name(), place, message.duplicate()));
          });
      return true;
    }

    @Override
    public void confirm() {
      after(MILLI, () -> protocol.confirmed(position));
    }

    @Override
    public void show(long clients, long commands) {
      after(BOARD, () -> seen = new Balance.Load(clients, commands));
    }

    @Override
    public long clients(MemberId member) {
      return of(member).clients();
    }

    @Override
    public long commands(MemberId member) {
      return of(member).commands();
    }

    private Balance.Load of(MemberId member) {
      return servers.stream().filter(each -> each.self.equals(member)).findFirst().orElseThrow().seen;
    }

    @Override
    public void send(long connection, ByteBuffer frame) {
      Link link = links.get(connection);
      if (link != null) {
        after(MILLI / 2, () -> link.caller.received(connection, bare(frame)));
      }
    }

    @Override
    public void read(long connection, boolean on) {}

    @Override
    public void close(long connection, ReplicaProtocol.Fault fault) {
      throw new IllegalStateException("a client at fault: " + fault);
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public long wallMillis() {
      return now / MILLI;
    }
  }

  /// Calls again and again, and is told the numbers 1, 2, 3, ...
  private final class Caller implements ClientProtocol.Host, ClientProtocol.Line {
    final int number;
    final long pause;
    final ClientProtocol protocol;
    long connection;
    long told;

    Caller(int number, long pause, List<String> contacts) {
      this.number = number;
      this.pause = pause;
      this.protocol = new ClientProtocol("counters", contacts, SECOND, this);
      work();
      call();
    }

    void work() {
      protocol.work();
      after(MILLI, this::work);
    }

    void call() {
      protocol.request(
          new ClientRequest(ByteBuffer.allocate(4).putInt(0, number), null, Long.MAX_VALUE) {
            @Override
            protected void replied(ByteBuffer reply, long place) {
              assertThat(reply.getLong()).as("of client " + number).isEqualTo(++told);
              if (now < LAST) {
                after(pause, Caller.this::call);
              }
            }

            @Override
            protected void failed(ServiceException why) {
              throw new IllegalStateException(why);
            }
          });
    }

    @Override
    public ClientProtocol.Line first() {
      return this;
    }

    @Override
    public void connect(String address) {
      Server server = servers.stream().filter(each -> address.startsWith(each.self.name())).findFirst().orElseThrow();
      long id = linkNext++;
      connection = id;
      links.put(id, new Link(this, server));
      after(MILLI / 2, () -> server.protocol.connected(id));
      after(
          MILLI,
          () -> {
            if (connection == id) {
              protocol.connected();
            }
          });
    }

    @Override
    public void disconnect() {
      long gone = connection;
      Link link = links.get(gone);
      connection = 0;
      if (link != null) {
        after(MILLI / 2, () -> link.server.protocol.disconnected(gone));
      }
    }

    @Override
    public void send(ByteBuffer frame) {
      long id = connection;
      Link link = links.get(id);
      if (link != null) {
        after(MILLI / 2, () -> link.server.protocol.said(id, bare(frame)));
      }
    }

    void received(long which, ByteBuffer frame) {
      if (which == connection) {
        protocol.received(frame);
      }
    }

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public RandomGenerator random() {
      return random;
    }
  }

  private void start(String... names) {
    for (String name : names) {
      servers.add(new Server(name));
    }
    servers.forEach(Server::work);
  }

  /// The first so many replicas are in a view; what was ordered before, the others have as if by a transfer.
  private void view(int size) {
    List<MemberId> members = servers.stream().limit(size).map(each -> each.self).toList();
    var view = new View(new ViewId(viewNext++, 1), members, true, List.of());
    servers.stream()
        .limit(size)
        .forEach(each -> {
          boolean before = each.protocol.isServing();
          each.protocol.viewed(view);
          if (!before) {
            each.protocol.caughtUp(position);
          }
        });
  }

  private int clients(int server) {
    return servers.get(server).protocol.connections();
  }

  private long moved() {
    return servers.stream().mapToLong(each -> each.protocol.moved()).sum();
  }

  private void end() {
    runUntil(LAST + 5 * SECOND);
    for (Caller caller : callers) {
      assertThat(caller.protocol.isIdle()).as(caller.protocol.toString()).isTrue();
      for (Server server : servers) {
        assertThat(caller.told).isPositive();
        assertThat(server.protocol.positionNext()).isEqualTo(position);
      }
    }
  }

  @Test
  void aNewReplicaTakesItsShareWithinASecondAndThereItStays() {
    start("r1", "r2", "r3");
    view(2);
    runUntil(now + SECOND);
    for (int i = 0; i < 60; i++) {
      callers.add(new Caller(i, 20 * MILLI, List.of("r1:2", "r2:2")));
    }
    runUntil(now + 3 * SECOND);
    assertThat(clients(0) + clients(1)).isEqualTo(60);
    assertThat(Math.abs(clients(0) - clients(1))).isLessThan(20);
    view(3);
    long joined = now;
    while (clients(2) < 16) { // four fifths of its share
      runUntil(now + 10 * MILLI);
      assertThat(now - joined).as("time, with " + clients(2) + " clients").isLessThan(SECOND);
    }
    runUntil(joined + 3 * SECOND);
    assertThat(clients(2)).isBetween(16, 24);
    long before = moved();
    runUntil(joined + 12 * SECOND);
    assertThat(moved()).as("nobody goes to and fro").isEqualTo(before);
    assertThat(before).isLessThan(30);
    end();
  }

  /// Where one client calls as often as five others would count, there are fewer others.
  @Test
  void aBusyClientCountsAsMany() {
    start("r1", "r2");
    view(2);
    runUntil(now + SECOND);
    callers.add(new Caller(0, MILLI / 10, List.of("r1:2")));
    for (int i = 1; i < 12; i++) {
      callers.add(new Caller(i, 500 * MILLI, List.of("r1:2")));
    }
    runUntil(now + 6 * SECOND);
    Server at = links.get(callers.getFirst().connection).server;
    assertThat(at.protocol.connections()).as("beside the busy one, and itself").isBetween(1, 5);
    long before = moved();
    runUntil(now + 8 * SECOND);
    assertThat(moved()).isEqualTo(before);
    end();
  }

  private static Balance.Load load(long count) {
    return new Balance.Load(count, 0);
  }

  @Test
  void allTogetherGiveNoMoreThanThereIsRoomFor() {
    Map<String, Balance.Load> loads = Map.of("a", load(40), "b", load(50), "c", load(0), "d", load(10));
    Map<String, Long> byA = Balance.moves("a", loads);
    Map<String, Long> byB = Balance.moves("b", loads);
    assertThat(byA.get("c") + byB.get("c")).isBetween(2490L, 2500L);
    assertThat(byA.get("d") + byB.get("d")).isBetween(1490L, 1500L);
    assertThat(Balance.moves("c", loads)).isEmpty();
    assertThat(byA).doesNotContainKey("b");
  }

  @Test
  void whoHasLittleGetsItsShareOfMany() {
    Map<String, Balance.Load> loads =
        Map.of("a", load(50), "b", load(46), "c", load(50), "d", load(42), "e", load(40), "f", load(0)); // average 38
    assertThat(Balance.moves("a", loads)).containsExactly(Map.entry("f", 1200L));
    assertThat(Balance.moves("d", loads)).containsExactly(Map.entry("f", 400L));
    assertThat(Balance.moves("f", loads)).isEmpty();
  }

  @Test
  void whoIsNearTheAverageKeepsItsClients() {
    assertThat(Balance.moves("a", Map.of("a", load(33), "b", load(23)))).isEmpty(); // average 28, to 37
    assertThat(Balance.moves("a", Map.of("a", load(2), "b", load(0)))).isEmpty();
    assertThat(Balance.moves("a", Map.of("a", load(40)))).isEmpty();
    assertThat(Balance.moves("a", Map.of("a", load(40), "b", load(10)))).containsExactly(Map.entry("b", 1500L));
  }
}
