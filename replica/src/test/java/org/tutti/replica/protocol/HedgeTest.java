package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.replica.Read;
import org.tutti.replica.ServiceException;

/// A client between three replicas that answer after times which the test chooses; time is simulated.
class HedgeTest {
  private static final long MILLI = 1_000_000;
  private static final long SESSION = 7;
  private static final List<String> REPLICAS = List.of("r0:1", "r1:1", "r2:1");

  private record Event(long at, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  /// Commands and questions that came to a replica.
  private record Asked(String replica, Frame frame) {}

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<Asked> asked = new ArrayList<>();
  private final TreeMap<String, LongUnaryOperator> delays = new TreeMap<>(); // of answers, by the time
  private final List<Long> latencies = new ArrayList<>();
  private long now;
  private long order;
  private int outcomes;
  private @Nullable Hedge hedge;
  private final Line first = new Line(true);
  private final Line second = new Line(false);
  private final ClientProtocol client = new ClientProtocol("service", REPLICAS, 1000 * MILLI, new Host());

  private final class Line implements ClientProtocol.Line {
    final boolean main;
    @Nullable String at;
    long connection;

    Line(boolean main) {
      this.main = main;
    }

    @Override
    public void connect(String address) {
      at = address;
      long own = ++connection;
      after(
          MILLI / 2,
          () -> {
            if (own == connection && main) {
              client.connected();
            } else if (own == connection && hedge != null) {
              hedge.connected();
            }
          });
    }

    @Override
    public void disconnect() {
      at = null;
      connection++;
    }

    @Override
    public void send(ByteBuffer frame) {
      try {
        Frame said = Frame.decode(frame.position(Integer.BYTES).slice());
        Frame answer = answer(said);
        String replica = at;
        if (replica == null || answer == null) {
          return;
        }
        if (said instanceof Frame.Call || said instanceof Frame.Query) {
          asked.add(new Asked(replica, said));
        }
        long own = connection;
        ByteBuffer bytes = answer.encode().position(Integer.BYTES).slice();
        after(
            delays.getOrDefault(replica, _ -> MILLI).applyAsLong(now),
            () -> {
              if (own == connection && main) {
                client.received(bytes);
              } else if (own == connection && hedge != null) {
                hedge.received(bytes);
              }
            });
      } catch (Frame.MalformedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static @Nullable Frame answer(Frame said) {
    return switch (said) {
      case Frame.Hello _ -> new Frame.Welcome(100, 60_000, Frame.NO_POLICY, REPLICAS);
      case Frame.Open(long nonce, _) -> new Frame.Opened(nonce, SESSION);
      case Frame.Call call -> {
        var reply = new CommandReply(CommandReply.Status.DONE, call.number(), ByteBuffer.allocate(0));
        yield new Frame.Replied(SESSION, call.number(), reply);
      }
      case Frame.Query query -> new Frame.Answer(query.id(), false, query.position(), ByteBuffer.allocate(0));
      case Frame.Ping() -> new Frame.Pong();
      default -> null;
    };
  }

  private final class Host implements ClientProtocol.Host {
    @Override
    public ClientProtocol.Line first() {
      return first;
    }

    @Override
    public ClientProtocol.Line beside(QuietConnection of) {
      return second;
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

  private final class Call extends ClientRequest {
    final long made = now;

    Call(@Nullable Read read) {
      super(ByteBuffer.allocate(1), read, Long.MAX_VALUE);
    }

    @Override
    protected void replied(ByteBuffer reply, long position) {
      outcomes++;
      latencies.add(now - made);
    }

    @Override
    protected void failed(ServiceException why) {
      throw new IllegalStateException(why);
    }
  }

  private void after(long nanos, Runnable what) {
    events.add(new Event(now + nanos, order++, what));
  }

  private void runUntil(long end) {
    client.work();
    while (true) {
      Event next = events.peek();
      long due = Math.max(now, client.deadlineNanos());
      if ((next == null || next.at > end) && due > end) {
        now = end;
        return;
      }
      if (next != null && next.at <= due) {
        events.remove();
        now = next.at;
        next.what.run();
      } else {
        now = due;
      }
      client.work();
    }
  }

  private void calls(int count, @Nullable Read read) {
    for (int i = 0; i < count; i++) {
      client.request(new Call(read));
      runUntil(now + 4 * MILLI);
    }
  }

  private void begin(boolean hedges) {
    hedge = hedges ? client.hedge() : null;
    runUntil(100 * MILLI);
    calls(50, null);
    runUntil(now + 2000 * MILLI);
    latencies.clear();
    asked.clear();
  }

  private void slow(@Nullable String replica, long millis) {
    delays.put(String.valueOf(replica), _ -> millis * MILLI);
  }

  @Test
  void aCommandThatIsLateIsAskedAtASecondReplicaUnderItsNumber() {
    begin(true);
    slow(first.at, 500);
    client.request(new Call(null));
    runUntil(now + 100 * MILLI);
    assertThat(latencies).hasSize(1).first().matches(nanos -> nanos < 5 * MILLI);
    assertThat(asked).hasSize(2);
    assertThat(asked.get(0).frame).isEqualTo(asked.get(1).frame);
    assertThat(asked.get(0).replica).isNotEqualTo(asked.get(1).replica);
    int before = outcomes;
    runUntil(now + 1000 * MILLI);
    assertThat(outcomes).as("the first replica's reply is nothing new").isEqualTo(before);
  }

  @Test
  void aQuestionThatIsLateIsAskedTwiceToo() {
    begin(true);
    slow(first.at, 500);
    client.request(new Call(Read.SEQUENTIAL));
    runUntil(now + 100 * MILLI);
    assertThat(latencies).hasSize(1);
    assertThat(asked).hasSize(2);
  }

  @Test
  void onlyTheOldestCommandIsAskedTwice() {
    begin(true);
    delays.put(first.at, _ -> 500 * MILLI);
    delays.put(second.at, _ -> 400 * MILLI);
    for (int i = 0; i < 3; i++) {
      client.request(new Call(null));
    }
    runUntil(now + 100 * MILLI);
    assertThat(asked.stream().filter(each -> each.replica.equals(second.at))).hasSize(1);
  }

  @Test
  void theExtraLoadIsBoundedWhenAllAreSlow() {
    begin(true);
    REPLICAS.forEach(replica -> delays.put(replica, time -> time / MILLI % 7 == 0 ? 30 * MILLI : 10 * MILLI));
    calls(2000, null);
    Hedge second = hedge;
    assertThat(second).isNotNull();
    assertThat(second.hedges()).isPositive().isLessThanOrEqualTo(second.hedgesMax()).isLessThanOrEqualTo(2050 / 20 + 4);
  }

  @Test
  void theClientGoesToAReplicaThatIsFasterAgainAndAgain() {
    begin(true);
    String slow = first.at;
    slow(slow, 300);
    calls(20, null);
    assertThat(first.at).isNotEqualTo(slow);
    runUntil(now + 1000 * MILLI);
    latencies.clear();
    calls(20, null);
    assertThat(latencies).hasSize(20).allMatch(nanos -> nanos < 5 * MILLI);
  }

  /// One of three replicas stands still for 60 ms in each second; what the slowest calls of its client take.
  @Test
  void theSlowestCallsBecomeFast() {
    long with = percentile99(true);
    long without = new HedgeTest().percentile99(false);
    assertThat(without).isGreaterThan(20 * MILLI);
    assertThat(with).as("99th percentile, without hedging " + without).isLessThan(without / 5);
  }

  private long percentile99(boolean hedges) {
    begin(hedges);
    delays.put(
        first.at,
        time -> {
          long inSecond = time % (1000 * MILLI);
          return MILLI + (inSecond < 60 * MILLI ? 60 * MILLI - inSecond : 0);
        });
    calls(10_000, null);
    runUntil(now + 1000 * MILLI);
    assertThat(latencies).hasSize(10_000);
    long extra = asked.size() - 10_000;
    assertThat(extra).isBetween(0L, 10_050L / 20 + 4);
    long[] sorted = latencies.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    return sorted[sorted.length * 99 / 100];
  }
}
