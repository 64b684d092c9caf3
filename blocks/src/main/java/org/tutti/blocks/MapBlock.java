package org.tutti.blocks;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// All maps. Each change of a map has the map's next *revision*, and the entry that it leaves has that as its version;
/// so no two versions of a key are equal, also when it was removed in between.
///
/// The last changes are kept for those who watch. Who comes too late for them has to look at the whole map.
final class MapBlock implements Block {
  static final int UPDATE = 1; // i64 expected version, or ANY, or 0 for none; key; u8 1 and value, or 0
  //                              replies u8 whether it was done, and the entry as it was before

  static final int GET = 1; // key; answers the entry
  static final int LIST = 2; // u8 0, or 1 and the key behind which to begin; answers i64 revision, u8 whether there
  //                            are more, and entries, each behind a 1, then 0
  static final int WATCH = 3; // i64 revision; answers the changes behind it when there are some: i64 revision of the
  //                             last one, u8 1, and changes, each behind a 1, then 0; u8 0 when they are forgotten
  static final int SIZE = 4; // answers i64 entries, i64 revision

  static final long ANY = -1;

  private static final int CHANGES_MAX = 1024;
  private static final int CHANGES_BYTES_MAX = 1 << 20;
  private static final int ENTRY_BYTES_MAX =
      4 << 20; // with others in one answer it is still shorter than a reply may be
  private static final int LIST_BYTES = 1 << 20; // of an answer, about

  /// What a key has; as part of a change null is what it had no more.
  private record Entry(long version, ByteBuffer value) {
    void write(DataOutputStream out, ByteBuffer key) throws IOException {
      Message.write(out, key);
      out.writeLong(version);
      Message.write(out, value);
    }

    long digest(ByteBuffer key) {
      return Digest.of(out -> write(out, key));
    }
  }

  private record Change(long revision, ByteBuffer key, @Nullable ByteBuffer value) {
    int bytes() {
      return key.remaining() + (value == null ? 0 : value.remaining());
    }
  }

  private static final class Table {
    long revision;
    long digest; // the sum of its entries' digests
    final TreeMap<ByteBuffer, Entry> entries = new TreeMap<>();
    final ArrayDeque<Change> changes = new ArrayDeque<>();
    int changesBytes;

    /// Puts an entry, or takes the key's out, and goes on with the digest.
    void set(ByteBuffer key, @Nullable Entry entry) {
      Entry before = entry == null ? entries.remove(key) : entries.put(key, entry);
      if (before != null) {
        digest -= before.digest(key);
      }
      if (entry != null) {
        digest += entry.digest(key);
      }
    }

    void changed(ByteBuffer key, @Nullable ByteBuffer value) {
      var change = new Change(revision, key, value);
      changes.add(change);
      changesBytes += change.bytes();
      while (changes.size() > CHANGES_MAX || changesBytes > CHANGES_BYTES_MAX && changes.size() > 1) {
        changesBytes -= changes.remove().bytes();
      }
    }
  }

  private static final Table EMPTY = new Table();

  private final TreeMap<String, Table> tables = new TreeMap<>();

  @Override
  public ByteBuffer apply(long session, String name, int action, ByteBuffer in) {
    if (action != UPDATE) {
      throw new IllegalArgumentException("a map does not " + action);
    }
    long expected = in.getLong();
    ByteBuffer key = Message.bytes(in);
    ByteBuffer value = in.get() == 0 ? null : Message.bytes(in);
    int bytes = key.remaining() + (value == null ? 0 : value.remaining());
    if (bytes > ENTRY_BYTES_MAX) {
      throw new IllegalArgumentException("an entry has up to " + ENTRY_BYTES_MAX + " bytes, not " + bytes);
    }
    Table table = tables.computeIfAbsent(name, _ -> new Table());
    Entry before = table.entries.get(key);
    long version = before == null ? 0 : before.version;
    boolean done = (expected == ANY || expected == version) && (value != null || before != null);
    if (done) {
      table.revision++;
      table.set(key, value == null ? null : new Entry(table.revision, value));
      table.changed(key, value);
    }
    return put(ByteBuffer.allocate(1 + length(before)).put((byte) (done ? 1 : 0)), before).flip();
  }

  private static int length(@Nullable Entry entry) {
    return Long.BYTES + (entry == null ? 0 : Message.length(entry.value));
  }

  private static ByteBuffer put(ByteBuffer out, @Nullable Entry entry) {
    return entry == null ? out.putLong(0) : Message.put(out.putLong(entry.version), entry.value);
  }

  @Override
  public @Nullable ByteBuffer query(String name, int action, ByteBuffer in) {
    Table table = tables.getOrDefault(name, EMPTY);
    return switch (action) {
      case GET -> {
        Entry entry = table.entries.get(in.slice(in.position() + Integer.BYTES, in.remaining() - Integer.BYTES));
        yield put(ByteBuffer.allocate(length(entry)), entry).flip();
      }
      case LIST -> list(table, in.get() == 0 ? null : Message.bytes(in));
      case WATCH -> watch(table, in.getLong());
      case SIZE -> ByteBuffer.allocate(2 * Long.BYTES).putLong(table.entries.size()).putLong(table.revision).flip();
      default -> throw new IllegalArgumentException("a map does not tell " + action);
    };
  }

  private static ByteBuffer list(Table table, @Nullable ByteBuffer behind) {
    NavigableMap<ByteBuffer, Entry> left = behind == null ? table.entries : table.entries.tailMap(behind, false);
    var some = new ArrayList<Map.Entry<ByteBuffer, Entry>>();
    int bytes = Long.BYTES + 2;
    Iterator<Map.Entry<ByteBuffer, Entry>> all = left.entrySet().iterator();
    while (all.hasNext() && bytes < LIST_BYTES) {
      Map.Entry<ByteBuffer, Entry> one = all.next();
      some.add(one);
      bytes += 1 + Message.length(one.getKey()) + length(one.getValue());
    }
    ByteBuffer out = ByteBuffer.allocate(bytes).putLong(table.revision).put((byte) (all.hasNext() ? 1 : 0));
    some.forEach(one -> put(Message.put(out.put((byte) 1), one.getKey()), one.getValue()));
    return out.put((byte) 0).flip();
  }

  private static @Nullable ByteBuffer watch(Table table, long known) {
    if (known >= table.revision) {
      return null;
    }
    Change oldest = table.changes.peekFirst();
    if (oldest == null || oldest.revision > known + 1) {
      return ByteBuffer.allocate(Long.BYTES + 1).putLong(table.revision).put((byte) 0).flip();
    }
    List<Change> news = table.changes.stream().filter(change -> change.revision > known).toList();
    int bytes = Long.BYTES + 2;
    for (Change change : news) {
      bytes += 1 + length(change);
    }
    ByteBuffer out = ByteBuffer.allocate(bytes).putLong(table.revision).put((byte) 1);
    news.forEach(change -> put(out.put((byte) 1), change));
    return out.put((byte) 0).flip();
  }

  private static int length(Change change) {
    ByteBuffer value = change.value;
    return Long.BYTES + Message.length(change.key) + 1 + (value == null ? 0 : Message.length(value));
  }

  private static ByteBuffer put(ByteBuffer out, Change change) {
    Message.put(out.putLong(change.revision), change.key);
    ByteBuffer value = change.value;
    return value == null ? out.put((byte) 0) : Message.put(out.put((byte) 1), value);
  }

  /// As quick as there are few maps, however many entries they have; without the last changes, which are only for those
  /// who watch.
  @Override
  public long digest() {
    return Digest.of(out -> {
      for (Map.Entry<String, Table> one : tables.entrySet()) {
        out.writeUTF(one.getKey());
        out.writeLong(one.getValue().revision);
        out.writeLong(one.getValue().digest);
      }
    });
  }

  @Override
  public Picture picture() {
    var names = new ArrayList<String>();
    var copies = new ArrayList<Table>();
    tables.forEach((name, table) -> {
      var copy = new Table();
      copy.revision = table.revision;
      copy.entries.putAll(table.entries);
      copy.changes.addAll(table.changes);
      names.add(name);
      copies.add(copy);
    });
    return out -> {
      out.writeInt(names.size());
      for (int i = 0; i < names.size(); i++) {
        out.writeUTF(names.get(i));
        write(out, copies.get(i));
      }
    };
  }

  private static void write(DataOutputStream out, Table table) throws IOException {
    out.writeLong(table.revision);
    out.writeInt(table.entries.size());
    for (Map.Entry<ByteBuffer, Entry> one : table.entries.entrySet()) {
      one.getValue().write(out, one.getKey());
    }
    out.writeInt(table.changes.size());
    for (Change change : table.changes) {
      out.writeLong(change.revision);
      Message.write(out, change.key);
      ByteBuffer value = change.value;
      out.writeBoolean(value != null);
      if (value != null) {
        Message.write(out, value);
      }
    }
  }

  @Override
  public void restore(DataInputStream in) throws IOException {
    tables.clear();
    for (int left = in.readInt(); left > 0; left--) {
      var table = new Table();
      tables.put(in.readUTF(), table);
      table.revision = in.readLong();
      for (int entries = in.readInt(); entries > 0; entries--) {
        table.set(Message.read(in), new Entry(in.readLong(), Message.read(in)));
      }
      for (int changes = in.readInt(); changes > 0; changes--) {
        var change = new Change(in.readLong(), Message.read(in), in.readBoolean() ? Message.read(in) : null);
        table.changes.add(change);
        table.changesBytes += change.bytes();
      }
    }
  }
}
