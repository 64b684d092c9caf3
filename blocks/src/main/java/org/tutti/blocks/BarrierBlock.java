package org.tutti.blocks;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// All barriers. Who arrives waits until as many as the barrier has parties are there; then all go on, and the barrier
/// begins anew, in its next generation. Like a place in a queue, an arrival has a ticket and belongs to a session.
final class BarrierBlock implements Block {
  static final int ARRIVE = 1; // i64 ticket, i32 parties; replies the generation that it waits for
  static final int LEAVE = 2; // i64 ticket; replies 1 if it was waiting

  static final int PASSED = 1; // i64 ticket, i64 generation; answers 1 when it went on with the others, else 0

  private static final class Barrier {
    long generation = 1;
    int parties; // of this generation
    final TreeMap<Long, Long> arrived = new TreeMap<>(); // sessions by ticket
    final TreeSet<Long> passed = new TreeSet<>(); // tickets of the generation that ended last
  }

  private final TreeMap<String, Barrier> barriers = new TreeMap<>();

  @Override
  public ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
    Barrier barrier = barriers.computeIfAbsent(name, _ -> new Barrier());
    long ticket = in.getLong();
    return Message.number(
        switch (action) {
          case ARRIVE -> arrive(barrier, session, ticket, in.getInt());
          case LEAVE -> barrier.arrived.remove(ticket) == null ? 0 : 1;
          default -> throw new IllegalArgumentException("a barrier does not " + action);
        });
  }

  private static long arrive(Barrier barrier, long session, long ticket, int parties) {
    if (parties < 1 || !barrier.arrived.isEmpty() && parties != barrier.parties) {
      throw new IllegalArgumentException(
          "a barrier of " + parties + " parties, where others wait at one of " + barrier.parties);
    }
    if (barrier.arrived.containsKey(ticket)) {
      throw new IllegalArgumentException("ticket " + ticket + " waits already");
    }
    barrier.parties = parties;
    barrier.arrived.put(ticket, session);
    long generation = barrier.generation;
    if (barrier.arrived.size() == parties) {
      barrier.passed.clear();
      barrier.passed.addAll(barrier.arrived.keySet());
      barrier.arrived.clear();
      barrier.generation++;
    }
    return generation;
  }

  @Override
  public void sessionEnded(long session) {
    barriers.values().forEach(barrier -> barrier.arrived.values().removeIf(its -> its == session));
  }

  @Override
  public @Nullable ByteBuffer query(String name, int action, ByteBuffer in) {
    Barrier barrier = barriers.get(name);
    long ticket = in.getLong();
    long generation = in.getLong();
    if (barrier == null || action != PASSED) {
      throw new IllegalArgumentException("nobody has arrived at " + name + ", or there is no question " + action);
    }
    long ago = barrier.generation - generation;
    if (ago <= 0 && barrier.arrived.containsKey(ticket)) {
      return null;
    }
    // Of earlier generations nothing is known but that they ended: whoever asks so late has been silent for long.
    return Message.number(ago > 1 || ago == 1 && barrier.passed.contains(ticket) ? 1 : 0);
  }

  @Override
  public Picture picture() {
    var copies = new TreeMap<String, Barrier>();
    barriers.forEach((name, barrier) -> {
      var copy = new Barrier();
      copy.generation = barrier.generation;
      copy.parties = barrier.parties;
      copy.arrived.putAll(barrier.arrived);
      copy.passed.addAll(barrier.passed);
      copies.put(name, copy);
    });
    return out -> {
      out.writeInt(copies.size());
      for (Map.Entry<String, Barrier> one : copies.entrySet()) {
        Barrier barrier = one.getValue();
        out.writeUTF(one.getKey());
        out.writeLong(barrier.generation);
        out.writeInt(barrier.parties);
        out.writeInt(barrier.arrived.size());
        for (Map.Entry<Long, Long> arrival : barrier.arrived.entrySet()) {
          out.writeLong(arrival.getKey());
          out.writeLong(arrival.getValue());
        }
        out.writeInt(barrier.passed.size());
        for (long ticket : barrier.passed) {
          out.writeLong(ticket);
        }
      }
    };
  }

  @Override
  public void restore(DataInputStream in) throws IOException {
    barriers.clear();
    for (int left = in.readInt(); left > 0; left--) {
      var barrier = new Barrier();
      barriers.put(in.readUTF(), barrier);
      barrier.generation = in.readLong();
      barrier.parties = in.readInt();
      for (int arrivals = in.readInt(); arrivals > 0; arrivals--) {
        barrier.arrived.put(in.readLong(), in.readLong());
      }
      for (int passed = in.readInt(); passed > 0; passed--) {
        barrier.passed.add(in.readLong());
      }
    }
  }
}
