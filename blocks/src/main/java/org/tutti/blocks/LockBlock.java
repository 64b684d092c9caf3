package org.tutti.blocks;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// All locks, or all elections: who waits stands in a queue, and the first one holds. Each time that another one
/// becomes the first, it gets a *token* that is higher than all before, of any lock.
///
/// Whoever wants a lock chooses a *ticket*, a random number, so that it can leave the queue without having heard
/// whether it has come into it. A place in a queue belongs to a session and ends with it.
///
/// ```
///  ENTER 17                 queue: 17       17 holds with token 1
///  ENTER 42                 queue: 17 42
///  LEAVE 17, or the end of
///  the session of 17        queue: 42       42 holds with token 2
/// ```
final class LockBlock implements Block {
  static final int ENTER = 1; // i64 ticket, u8 whether to wait, label; replies the token, NONE, or WAITS
  static final int LEAVE = 2; // i64 ticket; replies the token with which it held; NONE if it did not

  static final int GRANTED = 1; // i64 ticket; answers the token when there is one, NONE when it is not in the queue
  static final int LOST = 2; // i64 ticket; answers when it does not hold
  static final int HOLDS = 3; // i64 ticket; answers the token, or NONE
  static final int HOLDER = 4; // i64 token; answers token and label of the holder when the token is another one

  static final long NONE = 0;
  static final long WAITS = -1;

  private record Place(long session, long ticket, ByteBuffer label) {}

  private static final class Queue {
    final ArrayDeque<Place> places = new ArrayDeque<>();
    long token; // of the first

    boolean has(long ticket) {
      return places.stream().anyMatch(place -> place.ticket == ticket);
    }

    long tokenOf(long ticket) {
      Place first = places.peekFirst();
      return first != null && first.ticket == ticket ? token : NONE;
    }
  }

  private static final Queue NOBODY = new Queue();

  private final TreeMap<String, Queue> queues = new TreeMap<>(); // none is empty
  private long lastToken;

  @Override
  public ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
    long ticket = in.getLong();
    return switch (action) {
      case ENTER -> {
        boolean waits = in.get() != 0;
        yield Message.number(enter(name, waits, new Place(session, ticket, Message.bytes(in))));
      }
      case LEAVE -> Message.number(leave(name, ticket));
      default -> throw new IllegalArgumentException("a lock does not " + action);
    };
  }

  private long enter(String name, boolean waits, Place place) {
    Queue queue = queues.getOrDefault(name, NOBODY);
    if (queue.has(place.ticket)) {
      throw new IllegalArgumentException("ticket " + place.ticket + " is in the queue already");
    }
    if (!queue.places.isEmpty()) {
      if (waits) {
        queue.places.add(place);
      }
      return waits ? WAITS : NONE;
    }
    queue = new Queue();
    queue.places.add(place);
    queue.token = ++lastToken;
    queues.put(name, queue);
    return queue.token;
  }

  private long leave(String name, long ticket) {
    Queue queue = queues.getOrDefault(name, NOBODY);
    long held = queue.tokenOf(ticket);
    if (queue.places.removeIf(place -> place.ticket == ticket)) {
      left(name, queue, held != NONE);
    }
    return held;
  }

  /// Some have left a queue, perhaps its first one.
  private void left(String name, Queue queue, boolean first) {
    if (queue.places.isEmpty()) {
      queues.remove(name);
    } else if (first) {
      queue.token = ++lastToken;
    }
  }

  @Override
  public void sessionEnded(long session) {
    for (Map.Entry<String, Queue> one : List.copyOf(queues.entrySet())) {
      Queue queue = one.getValue();
      boolean first = queue.places.getFirst().session == session;
      if (queue.places.removeIf(place -> place.session == session)) {
        left(one.getKey(), queue, first);
      }
    }
  }

  @Override
  public @Nullable ByteBuffer query(String name, int action, ByteBuffer in) {
    long asked = in.getLong();
    Queue queue = queues.getOrDefault(name, NOBODY);
    long token = queue.tokenOf(asked);
    return switch (action) {
      case GRANTED -> token == NONE && queue.has(asked) ? null : Message.number(token);
      case LOST -> token == NONE ? Message.number(NONE) : null;
      case HOLDS -> Message.number(token);
      case HOLDER -> holder(queue, asked);
      default -> throw new IllegalArgumentException("a lock does not tell " + action);
    };
  }

  private static @Nullable ByteBuffer holder(Queue queue, long known) {
    Place first = queue.places.peekFirst();
    if (known == queue.token) {
      return null;
    }
    ByteBuffer label = first == null ? ByteBuffer.allocate(0) : first.label;
    return Message.put(ByteBuffer.allocate(Long.BYTES + Message.length(label)).putLong(queue.token), label).flip();
  }

  @Override
  public Picture picture() {
    long last = lastToken;
    var names = new ArrayList<String>();
    var tokens = new ArrayList<Long>();
    var places = new ArrayList<List<Place>>();
    queues.forEach((name, queue) -> {
      names.add(name);
      tokens.add(queue.token);
      places.add(List.copyOf(queue.places));
    });
    return out -> {
      out.writeLong(last);
      out.writeInt(names.size());
      for (int i = 0; i < names.size(); i++) {
        out.writeUTF(names.get(i));
        out.writeLong(tokens.get(i));
        out.writeInt(places.get(i).size());
        for (Place place : places.get(i)) {
          out.writeLong(place.session);
          out.writeLong(place.ticket);
          Message.write(out, place.label);
        }
      }
    };
  }

  @Override
  public void restore(DataInputStream in) throws IOException {
    queues.clear();
    lastToken = in.readLong();
    for (int left = in.readInt(); left > 0; left--) {
      var queue = new Queue();
      queues.put(in.readUTF(), queue);
      queue.token = in.readLong();
      for (int places = in.readInt(); places > 0; places--) {
        queue.places.add(new Place(in.readLong(), in.readLong(), Message.read(in)));
      }
      if (queue.places.isEmpty()) {
        throw new IOException("a snapshot has a lock that nobody holds");
      }
    }
  }
}
