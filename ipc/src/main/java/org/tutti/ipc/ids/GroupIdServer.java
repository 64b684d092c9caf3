package org.tutti.ipc.ids;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.tutti.ipc.GroupId;
import org.tutti.replica.Command;
import org.tutti.replica.StateMachine;

/// The group-id server, as a replicated service: it gives out ids of groups, each once, and keeps what the groups'
/// passwords come to.
///
/// ```java
/// Node node = Node.named("n1").listen(address).contacts(others).data(directory.resolve("log")).start();
/// Replica replica =
///     Replica.of(GroupIdClient.SERVICE, new GroupIdServer())
///         .data(directory.resolve("snapshots"))
///         .clients(clients)
///         .expecting("n1", "n2", "n3")
///         .start(node);
/// ```
///
/// Nothing here takes long or is drawn: salts are drawn, and passwords hashed, by clients ([GroupIdClient]). Of a
/// control password it keeps a salt and a hash of the key that the client says ([Lock#verifier]), compared in a time
/// that does not depend on them; of a send password a salt and the [org.tutti.ipc.SendKey].
///
/// Wrong passwords are counted, and said by the logger `org.tutti.ipc` as a warning, at most once a minute.
///
/// **Threads**: one at a time, as the replica does it; [#wrongPasswords] may be asked by any.
///
/// Source: T-Shoshin, section 4.2. Deviations: the server is replicated, an id is never given out again, and passwords
/// are not kept.
public final class GroupIdServer implements StateMachine {
  /// How many groups there are at most at a time.
  public static final int GROUPS_MAX = 1_000_000;

  private static final int FORMAT = 1;
  private static final long WARNINGS_APART_NANOS = 60_000_000_000L;

  /// A group that exists.
  private record Entry(Lock control, byte[] verifier, @Nullable Guard guard) {
    void writeTo(DataOutputStream out) throws IOException {
      out.writeInt(control.iterations());
      out.write(control.salt());
      out.write(verifier);
      out.writeBoolean(guard != null);
      if (guard != null) {
        out.write(guard.salt);
        out.write(guard.key);
      }
    }

    long digest(int part) {
      int hash = 31 * Arrays.hashCode(control.salt()) + Arrays.hashCode(verifier);
      if (guard != null) {
        hash = 31 * (31 * hash + Arrays.hashCode(guard.salt)) + Arrays.hashCode(guard.key);
      }
      return ((long) part << Integer.SIZE | Integer.toUnsignedLong(hash)) * 0x9e3779b97f4a7c15L; // spread over all bits
    }
  }

  private record Guard(byte[] salt, byte[] key) {}

  private final TreeMap<Integer, Entry> groups = new TreeMap<>(); // by their group parts
  private int next; // group part; those below were given out
  private long digest; // the sum of those of the groups
  private final AtomicLong wrong = new AtomicLong(); // no part of the state
  private long warnedAt = System.nanoTime() - WARNINGS_APART_NANOS;

  /// A server that has given out no id.
  public GroupIdServer() {}

  @Override
  public ByteBuffer apply(Command command) {
    ByteBuffer in = command.payload();
    byte kind = IdMessage.octet(in);
    return switch (kind) {
      case IdMessage.CREATE -> create(in);
      case IdMessage.DESTROY -> destroy(in);
      default -> throw new IllegalArgumentException("no command of a group-id server: " + kind);
    };
  }

  private ByteBuffer create(ByteBuffer in) {
    Entry entry = entry(in);
    IdMessage.end(in);
    if (groups.size() == GROUPS_MAX || next > GroupId.PART_MAX) {
      return outcome(IdMessage.FULL);
    }
    int part = next++;
    groups.put(part, entry);
    digest += entry.digest(part);
    return ByteBuffer.allocate(1 + Integer.BYTES).put(IdMessage.DONE).putInt(GroupId.issued(part).value()).flip();
  }

  private static Entry entry(ByteBuffer in) {
    var lock = new Lock(IdMessage.number(in), IdMessage.take(in, Lock.SALT_BYTES));
    byte[] verifier = IdMessage.take(in, Lock.KEY_BYTES);
    Guard guard =
        IdMessage.flag(in) ? new Guard(IdMessage.take(in, Lock.SALT_BYTES), IdMessage.take(in, Lock.KEY_BYTES)) : null;
    return new Entry(lock, verifier, guard);
  }

  private ByteBuffer destroy(ByteBuffer in) {
    int id = IdMessage.number(in);
    byte[] key = IdMessage.take(in, Lock.KEY_BYTES);
    IdMessage.end(in);
    Entry entry = find(id);
    if (entry == null) {
      return outcome(IdMessage.UNKNOWN);
    }
    if (!opens(entry, key)) {
      return wrong(id);
    }
    int part = new GroupId(id).part();
    groups.remove(part);
    digest -= entry.digest(part);
    return outcome(IdMessage.DONE);
  }

  @Override
  public ByteBuffer query(ByteBuffer in) {
    byte kind = IdMessage.octet(in);
    int id = IdMessage.number(in);
    byte[] key = kind == IdMessage.LOOK ? new byte[0] : IdMessage.take(in, Lock.KEY_BYTES);
    IdMessage.end(in);
    Entry entry = find(id);
    if (entry == null) {
      return outcome(IdMessage.UNKNOWN);
    }
    Guard guard = entry.guard;
    return switch (kind) {
      case IdMessage.LOOK -> {
        ByteBuffer out = ByteBuffer.allocate(2 + Integer.BYTES + 2 * Lock.SALT_BYTES).put(IdMessage.DONE);
        out.putInt(entry.control.iterations()).put(entry.control.salt());
        yield (guard == null ? out.put((byte) 0) : out.put((byte) 1).put(guard.salt)).flip();
      }
      case IdMessage.CHECK -> {
        if (!opens(entry, key)) {
          yield wrong(id);
        }
        ByteBuffer out = ByteBuffer.allocate(2 + Lock.KEY_BYTES).put(IdMessage.DONE);
        yield (guard == null ? out.put((byte) 0) : out.put((byte) 1).put(guard.key)).flip();
      }
      case IdMessage.CHECK_SEND ->
          guard != null && MessageDigest.isEqual(guard.key, key) ? outcome(IdMessage.DONE) : wrong(id);
      default -> throw new IllegalArgumentException("no question to a group-id server: " + kind);
    };
  }

  private ByteBuffer wrong(int id) {
    long count = wrong.incrementAndGet();
    long now = System.nanoTime();
    if (now - warnedAt >= WARNINGS_APART_NANOS) {
      warnedAt = now;
      String words = "a wrong password was said for group {0}; wrong ones so far: {1,number}";
      System.getLogger("org.tutti.ipc").log(System.Logger.Level.WARNING, words, new GroupId(id), count);
    }
    return outcome(IdMessage.WRONG);
  }

  /// How often a wrong password was said: the control password of a group when somebody joins, leaves or destroys, or
  /// its send password. A destroy counts at all replicas, the others at the replica that was asked.
  ///
  /// @return how often since this server was made; it is no part of the state
  public long wrongPasswords() {
    return wrong.get();
  }

  private static boolean opens(Entry entry, byte[] key) {
    return MessageDigest.isEqual(entry.verifier, Lock.verifier(key));
  }

  private @Nullable Entry find(int id) {
    var group = new GroupId(id);
    return group.isIssued() ? groups.get(group.part()) : null;
  }

  private static ByteBuffer outcome(byte outcome) {
    return ByteBuffer.allocate(1).put(0, outcome);
  }

  @Override
  public Snapshot snapshot() {
    int given = next;
    var copy = new TreeMap<Integer, Entry>(groups);
    return out -> {
      var data = new DataOutputStream(out);
      data.writeShort(FORMAT);
      data.writeInt(given);
      data.writeInt(copy.size());
      for (Map.Entry<Integer, Entry> one : copy.entrySet()) {
        data.writeInt(one.getKey());
        one.getValue().writeTo(data);
      }
      data.flush();
    };
  }

  @Override
  public void restore(InputStream in) throws IOException {
    var data = new DataInputStream(in);
    int format = data.readUnsignedShort();
    if (format != FORMAT) {
      throw new IOException("the group ids are of version " + format + ", this server reads version " + FORMAT);
    }
    groups.clear();
    digest = 0;
    next = data.readInt();
    for (int left = data.readInt(); left > 0; left--) {
      int part = data.readInt();
      Entry entry = read(data);
      groups.put(part, entry);
      digest += entry.digest(part);
    }
  }

  private static Entry read(DataInputStream in) throws IOException {
    var lock = new Lock(in.readInt(), bytes(in, Lock.SALT_BYTES));
    byte[] verifier = bytes(in, Lock.KEY_BYTES);
    Guard guard = in.readBoolean() ? new Guard(bytes(in, Lock.SALT_BYTES), bytes(in, Lock.KEY_BYTES)) : null;
    return new Entry(lock, verifier, guard);
  }

  private static byte[] bytes(DataInputStream in, int length) throws IOException {
    var bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }

  @Override
  public OptionalLong digest() {
    return OptionalLong.of(31L * next + digest);
  }
}
