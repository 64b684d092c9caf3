package org.tutti.blocks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.blocks.Blocks.Kind;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;
import org.tutti.sim.service.Caller;
import org.tutti.sim.service.Calls;
import org.tutti.sim.service.Report;
import org.tutti.sim.service.Simulated;

/// The blocks in the simulator, each against a model that is as simple as it can be.
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class BlocksSimulatedTest {
  private static final int SEEDS = 12;
  private static final int MANY = 600;

  /// What is executed one by one: no copies, no snapshots.
  private abstract static class Model implements StateMachine {
    abstract ByteBuffer apply(long session, String name, int action, ByteBuffer in);

    abstract @Nullable ByteBuffer query(String name, int action, ByteBuffer in);

    @Override
    public ByteBuffer apply(Command command) {
      ByteBuffer in = command.payload().position(1);
      return apply(command.session(), Message.name(in), in.get(), in);
    }

    @Override
    public @Nullable ByteBuffer query(ByteBuffer request) {
      ByteBuffer in = request.position(1);
      return query(Message.name(in), in.get(), in);
    }

    @Override
    public Snapshot snapshot() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void restore(InputStream in) {
      throw new UnsupportedOperationException();
    }
  }

  private static void check(Supplier<Model> model, Calls commands, Calls questions, int seeds) {
    Report report =
        Simulated.service(Blocks::new)
            .replicas(3)
            .clients(4)
            .calls(commands)
            .queries(questions)
            .model(model)
            .seeds(seeds)
            .check();
    assertThat(report.told()).as("of 0.8 on the average, 0.57 in the worst of 60").isGreaterThan(report.calls() / 4);
  }

  // ---- counter -----------------------------------------------------------------------------------------------------

  private static final class Counters extends Model {
    final Map<String, Long> values = new TreeMap<>();

    @Override
    ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
      long before = values.getOrDefault(name, 0L);
      long first = in.getLong();
      if (action == CounterBlock.ADD) {
        values.put(name, before + first);
        return Message.number(before + first);
      }
      if (action == CounterBlock.SET) {
        values.put(name, first);
      } else if (before == first) {
        values.put(name, in.getLong());
      }
      return Message.number(before);
    }

    @Override
    ByteBuffer query(String name, int action, ByteBuffer in) {
      return Message.number(values.getOrDefault(name, 0L));
    }
  }

  private static ByteBuffer counterCommand(Caller client, RandomGenerator random) {
    ByteBuffer out = Message.begin(Kind.COUNTER, "c" + random.nextInt(2), 1 + random.nextInt(3), 2 * Long.BYTES);
    return out.putLong(random.nextLong(-2, 3)).putLong(random.nextLong(-2, 3)).flip();
  }

  private static ByteBuffer counterQuestion(Caller client, RandomGenerator random) {
    return Message.begin(Kind.COUNTER, "c" + random.nextInt(2), CounterBlock.GET, 0).flip();
  }

  @Test
  void counters() {
    check(Counters::new, BlocksSimulatedTest::counterCommand, BlocksSimulatedTest::counterQuestion, SEEDS);
  }

  // ---- map ---------------------------------------------------------------------------------------------------------

  private static final class Maps extends Model {
    record Entry(long version, String value) {}

    record Change(long revision, String key, @Nullable String value) {}

    final Map<String, Map<String, Entry>> entries = new TreeMap<>();
    final Map<String, List<Change>> changes = new TreeMap<>();

    private static ByteBuffer bytes(String text) {
      return UTF_8.encode(text);
    }

    private static ByteBuffer put(ByteBuffer out, @Nullable Entry entry) {
      return entry == null ? out.putLong(0) : Message.put(out.putLong(entry.version), bytes(entry.value));
    }

    @Override
    ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
      Map<String, Entry> map = entries.computeIfAbsent(name, _ -> new TreeMap<>());
      List<Change> log = changes.computeIfAbsent(name, _ -> new ArrayList<>());
      long expected = in.getLong();
      String key = UTF_8.decode(Message.bytes(in)).toString();
      String value = in.get() == 0 ? null : UTF_8.decode(Message.bytes(in)).toString();
      Entry before = map.get(key);
      boolean fits = expected == MapBlock.ANY || expected == (before == null ? 0 : before.version);
      boolean done = fits && (before != null || value != null);
      if (done) {
        log.add(new Change(log.size() + 1, key, value));
        map.remove(key);
        if (value != null) {
          map.put(key, new Entry(log.size(), value));
        }
      }
      return put(ByteBuffer.allocate(100).put((byte) (done ? 1 : 0)), before).flip();
    }

    @Override
    @Nullable ByteBuffer query(String name, int action, ByteBuffer in) {
      Map<String, Entry> map = entries.getOrDefault(name, Map.of());
      List<Change> log = changes.getOrDefault(name, List.of());
      ByteBuffer out = ByteBuffer.allocate(100_000);
      switch (action) {
        case MapBlock.GET -> put(out, map.get(UTF_8.decode(Message.bytes(in)).toString()));
        case MapBlock.SIZE -> out.putLong(map.size()).putLong(log.size());
        case MapBlock.LIST -> {
          String behind = in.get() == 0 ? "" : UTF_8.decode(Message.bytes(in)).toString();
          out.putLong(log.size()).put((byte) 0);
          map.forEach((key, entry) -> {
            if (key.compareTo(behind) > 0) {
              put(Message.put(out.put((byte) 1), bytes(key)), entry);
            }
          });
          out.put((byte) 0);
        }
        default -> {
          long known = in.getLong();
          if (known >= log.size()) {
            return null;
          }
          out.putLong(log.size()).put((byte) 1);
          for (Change change : log.subList((int) known, log.size())) {
            Message.put(out.put((byte) 1).putLong(change.revision), bytes(change.key));
            if (change.value == null) {
              out.put((byte) 0);
            } else {
              Message.put(out.put((byte) 1), bytes(change.value));
            }
          }
          out.put((byte) 0);
        }
      }
      return out.flip();
    }
  }

  private static ByteBuffer key(RandomGenerator random) {
    return UTF_8.encode("k" + random.nextInt(4));
  }

  private static ByteBuffer mapCommand(Caller client, RandomGenerator random) {
    ByteBuffer last = client.lastReply();
    long seen = last == null ? 0 : last.getLong(1); // the version before; the one after is near
    long[] expected = {MapBlock.ANY, MapBlock.ANY, 0, seen, seen + 1, random.nextInt(20)};
    ByteBuffer out = Message.begin(Kind.MAP, "m" + random.nextInt(2), MapBlock.UPDATE, 100);
    Message.put(out.putLong(expected[random.nextInt(expected.length)]), key(random));
    return random.nextInt(3) == 0
        ? out.put((byte) 0).flip()
        : Message.put(out.put((byte) 1), UTF_8.encode("v" + random.nextInt(100))).flip();
  }

  private static ByteBuffer mapQuestion(Caller client, RandomGenerator random) {
    int action = 1 + random.nextInt(4);
    ByteBuffer out = Message.begin(Kind.MAP, "m" + random.nextInt(2), action, 100);
    switch (action) {
      case MapBlock.GET -> Message.put(out, key(random));
      case MapBlock.LIST -> {
        if (random.nextBoolean()) {
          Message.put(out.put((byte) 1), key(random));
        } else {
          out.put((byte) 0);
        }
      }
      case MapBlock.WATCH -> out.putLong(random.nextInt(30));
      default -> {}
    }
    return out.flip();
  }

  @Test
  void maps() {
    check(Maps::new, BlocksSimulatedTest::mapCommand, BlocksSimulatedTest::mapQuestion, SEEDS);
  }

  // ---- locks and elections -----------------------------------------------------------------------------------------

  private static final class Locks extends Model {
    record Place(long session, long ticket, String label) {}

    final Map<String, List<Place>> queues = new TreeMap<>();
    final Map<String, Long> tokens = new TreeMap<>();
    long last;

    private List<Place> queue(String name) {
      return queues.computeIfAbsent(name, _ -> new ArrayList<>());
    }

    /// After any change: whoever is the first now, and was not before, gets the next token.
    private void settle(String name, @Nullable Place before) {
      List<Place> queue = queue(name);
      if (!queue.isEmpty() && queue.getFirst() != before) {
        tokens.put(name, ++last);
      }
    }

    private @Nullable Place first(String name) {
      return queue(name).isEmpty() ? null : queue(name).getFirst();
    }

    private long token(String name, long ticket) {
      Place first = first(name);
      return first != null && first.ticket == ticket ? tokens.get(name) : LockBlock.NONE;
    }

    @Override
    ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
      Place before = first(name);
      long ticket = in.getLong();
      long held = token(name, ticket);
      if (action == LockBlock.LEAVE) {
        queue(name).removeIf(place -> place.ticket == ticket);
        settle(name, before);
        return Message.number(held);
      }
      boolean waits = in.get() != 0;
      if (queue(name).stream().anyMatch(place -> place.ticket == ticket)) {
        throw new IllegalArgumentException("twice");
      }
      if (before != null && !waits) {
        return Message.number(LockBlock.NONE);
      }
      queue(name).add(new Place(session, ticket, UTF_8.decode(Message.bytes(in)).toString()));
      settle(name, before);
      return Message.number(before == null ? token(name, ticket) : LockBlock.WAITS);
    }

    @Override
    public void sessionEnded(long session, long position, Instant time) {
      for (String name : queues.keySet()) {
        Place before = first(name);
        queue(name).removeIf(place -> place.session == session);
        settle(name, before);
      }
    }

    @Override
    @Nullable ByteBuffer query(String name, int action, ByteBuffer in) {
      long asked = in.getLong();
      Place first = first(name);
      boolean queued = queue(name).stream().anyMatch(place -> place.ticket == asked);
      long token = token(name, asked);
      return switch (action) {
        case LockBlock.GRANTED -> queued && token == 0 ? null : Message.number(token);
        case LockBlock.LOST -> token == 0 ? Message.number(0) : null;
        case LockBlock.HOLDS -> Message.number(token);
        default -> {
          long now = first == null ? 0 : tokens.get(name);
          ByteBuffer label = UTF_8.encode(first == null ? "" : first.label);
          yield now == asked ? null : Message.put(ByteBuffer.allocate(50).putLong(now), label).flip();
        }
      };
    }
  }

  private static long ticket(Caller client, RandomGenerator random) {
    return 1 + client.number() * 10L + random.nextInt(2);
  }

  private static ByteBuffer lockCommand(Kind kind, Caller client, RandomGenerator random) {
    int action = 1 + random.nextInt(2);
    ByteBuffer out = Message.begin(kind, "l" + random.nextInt(2), action, 100).putLong(ticket(client, random));
    if (action == LockBlock.ENTER) {
      Message.put(out.put((byte) (random.nextInt(4) == 0 ? 0 : 1)), UTF_8.encode("client " + client.number()));
    }
    return out.flip();
  }

  private static ByteBuffer lockQuestion(Kind kind, Caller client, RandomGenerator random) {
    int action = 1 + random.nextInt(4);
    ByteBuffer last = client.lastReply();
    long asked =
        action != LockBlock.HOLDER
            ? ticket(client, random)
            : last == null || random.nextBoolean() ? LockBlock.WAITS : last.getLong();
    return Message.begin(kind, "l" + random.nextInt(2), action, Long.BYTES).putLong(asked).flip();
  }

  private static void locks(Kind kind, int seeds) {
    check(
        Locks::new,
        (client, random) -> lockCommand(kind, client, random),
        (client, random) -> lockQuestion(kind, client, random),
        seeds);
  }

  @Test
  void locks() {
    locks(Kind.LOCK, SEEDS);
  }

  // ---- barrier -----------------------------------------------------------------------------------------------------

  private static final class Barriers extends Model {
    record Arrival(long session, long ticket, int parties) {}

    final Map<String, List<Arrival>> waiting = new TreeMap<>();
    final Map<String, Long> passed = new TreeMap<>();
    final Map<String, List<Arrival>> last = new TreeMap<>(); // who passed last

    @Override
    ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
      List<Arrival> here = waiting.computeIfAbsent(name, _ -> new ArrayList<>());
      long ticket = in.getLong();
      if (action == BarrierBlock.LEAVE) {
        return Message.number(here.removeIf(arrival -> arrival.ticket == ticket) ? 1 : 0);
      }
      int parties = in.getInt();
      if (here.stream().anyMatch(arrival -> arrival.ticket == ticket || arrival.parties != parties)) {
        throw new IllegalArgumentException("twice, or another number");
      }
      here.add(new Arrival(session, ticket, parties));
      long generation = 1 + passed.getOrDefault(name, 0L);
      if (here.size() == parties) {
        last.put(name, List.copyOf(here));
        here.clear();
        passed.put(name, generation);
      }
      return Message.number(generation);
    }

    @Override
    public void sessionEnded(long session, long position, Instant time) {
      waiting.values().forEach(here -> here.removeIf(arrival -> arrival.session == session));
    }

    @Override
    @Nullable ByteBuffer query(String name, int action, ByteBuffer in) {
      long ticket = in.getLong();
      long generation = in.getLong();
      long ended = passed.getOrDefault(name, 0L);
      if (generation < ended) {
        return Message.number(1);
      } else if (generation == ended) {
        return Message.number(isAmong(last.getOrDefault(name, List.of()), ticket) ? 1 : 0);
      }
      return isAmong(waiting.getOrDefault(name, List.of()), ticket) ? null : Message.number(0);
    }

    private static boolean isAmong(List<Arrival> arrivals, long ticket) {
      return arrivals.stream().anyMatch(arrival -> arrival.ticket == ticket);
    }
  }

  private static ByteBuffer barrierCommand(Caller client, RandomGenerator random) {
    int action = random.nextInt(4) == 0 ? BarrierBlock.LEAVE : BarrierBlock.ARRIVE;
    ByteBuffer out = Message.begin(Kind.BARRIER, "b" + random.nextInt(2), action, 20).putLong(ticket(client, random));
    return out.putInt(random.nextInt(20) == 0 ? 2 : 3).flip();
  }

  private static ByteBuffer barrierQuestion(Caller client, RandomGenerator random) {
    ByteBuffer last = client.lastReply();
    long generation = last == null ? random.nextInt(5) : last.getLong();
    ByteBuffer out = Message.begin(Kind.BARRIER, "b" + random.nextInt(2), BarrierBlock.PASSED, 2 * Long.BYTES);
    return out.putLong(ticket(client, random)).putLong(generation).flip();
  }

  @Test
  void barriers() {
    check(Barriers::new, BlocksSimulatedTest::barrierCommand, BlocksSimulatedTest::barrierQuestion, SEEDS);
  }

  // ---- much of it --------------------------------------------------------------------------------------------------

  @Test
  @Tag("deep")
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void manySeeds() {
    check(Counters::new, BlocksSimulatedTest::counterCommand, BlocksSimulatedTest::counterQuestion, MANY);
    check(Maps::new, BlocksSimulatedTest::mapCommand, BlocksSimulatedTest::mapQuestion, MANY);
    locks(Kind.LOCK, MANY);
    locks(Kind.ELECTION, MANY);
    check(Barriers::new, BlocksSimulatedTest::barrierCommand, BlocksSimulatedTest::barrierQuestion, MANY);
  }
}
