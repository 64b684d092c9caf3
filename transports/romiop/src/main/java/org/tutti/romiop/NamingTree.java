package org.tutti.romiop;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.omg.IOP.IOR;
import org.tutti.replica.StateMachine;
import org.tutti.romiop.Giop.BrokenGiopException;
import org.tutti.romiop.ServedObjects.FailedException;

/// The state of the naming service: contexts, what is bound in each, and lists that clients have not read to their end.
/// [NamingService] is what clients call.
///
/// ```
/// realm (8)   last number (8)
/// contexts (4) { number (8)   bindings (4) { id  kind   0 (1)  a context of this service: number (8)
///                                                       1 (1)  an object, 2 another context: length (4)  reference } }
/// lists (4)    { number (8)   context (8)   1 (1)  id  kind of the last one that was read, or 0 (1) }
/// ```
///
/// Everything is bounded; when there are too many lists, the oldest one is forgotten.
final class NamingTree {
  static final long ROOT = 0;

  static final int CONTEXTS_MAX = 10_000;
  static final int BINDINGS_MAX = 100_000;
  static final int REFERENCE_BYTES_MAX = 48 << 10;
  private static final long BYTES_MAX = 64 << 20;
  static final int LISTS_MAX = 1000;

  static final int TYPE_MAX = 1024;

  private final TreeMap<Long, TreeMap<Name, Bound>> contexts = new TreeMap<>();
  private final TreeMap<Long, Listing> lists = new TreeMap<>();
  private long realm; // a number that no other naming service has, most likely; 0 before the first command
  private long last; // number that was given out
  private int bindings;
  private long bytes; // of all references
  private long digest; // the sum of those of the bindings and contexts

  /// A component of a name.
  ///
  /// @param id   its identifier
  /// @param kind its kind
  record Name(String id, String kind) implements Comparable<Name> {
    private static final Comparator<Name> ORDER = Comparator.comparing(Name::id).thenComparing(Name::kind);

    @Override
    public int compareTo(Name other) {
      return ORDER.compare(this, other);
    }
  }

  /// What a name is bound to.
  sealed interface Bound {
    /// A context of this service.
    ///
    /// @param number which one; it may be gone
    record Own(long number) implements Bound {}

    /// Any object, as CORBA writes references.
    ///
    /// @param reference its bytes
    /// @param isContext whether names go on in it
    record Foreign(ByteBuffer reference, boolean isContext) implements Bound {
      static Foreign of(IOR ior, boolean isContext) {
        return new Foreign(ByteBuffer.wrap(new CdrOut().reference(ior).bytes()), isContext);
      }

      IOR ior() {
        try {
          return new CdrIn(reference, 0).reference(TYPE_MAX, REFERENCE_BYTES_MAX);
        } catch (BrokenGiopException e) {
          throw new IllegalStateException("a reference that was read before", e);
        }
      }
    }
  }

  /// A list that a client reads.
  ///
  /// @param context whose bindings
  /// @param last    that was read; null: none yet
  record Listing(long context, @Nullable Name last) {}

  NamingTree() {
    contexts.put(ROOT, new TreeMap<>());
  }

  long realm() {
    return realm;
  }

  /// The first command gives the service its number.
  void begin(long unique) {
    if (realm == 0) {
      realm = unique | 1;
    }
  }

  boolean exists(long context) {
    return contexts.containsKey(context);
  }

  private TreeMap<Name, Bound> context(long number) {
    TreeMap<Name, Bound> found = contexts.get(number);
    if (found == null) {
      throw new IllegalStateException("a context that is gone"); // it was looked for
    }
    return found;
  }

  boolean isEmpty(long context) {
    return context(context).isEmpty();
  }

  @Nullable Bound get(long context, Name name) {
    return context(context).get(name);
  }

  /// Binds a name, instead of what it was bound to.
  void put(long context, Name name, Bound to) throws FailedException {
    Bound before = get(context, name);
    if (bindings + (before == null ? 1 : 0) > BINDINGS_MAX || bytes - weight(before) + weight(to) > BYTES_MAX) {
      throw new FailedException(RomiopFailure.FULL);
    }
    remove(context, name);
    enter(context, name, to);
  }

  private void enter(long context, Name name, Bound to) {
    context(context).put(name, to);
    bindings++;
    bytes += weight(to);
    digest += digest(context, name, to);
  }

  private static long weight(@Nullable Bound bound) {
    return bound instanceof Bound.Foreign(ByteBuffer reference, boolean _) ? reference.remaining() : 0;
  }

  private static long digest(long context, Name name, Bound bound) {
    List<Object> of =
        switch (bound) {
          case Bound.Own(long number) -> List.of(context, name.id, name.kind, 0, number);
          case Bound.Foreign(ByteBuffer reference, boolean isContext) ->
              List.of(context, name.id, name.kind, isContext ? 2 : 1, reference.hashCode());
        };
    return (long) of.hashCode() * 0x9e3779b97f4a7c15L; // spread over all bits
  }

  /// Unbinds a name, if it is bound.
  ///
  /// @return what it was bound to
  @Nullable Bound remove(long context, Name name) {
    Bound before = context(context).remove(name);
    if (before != null) {
      bindings--;
      bytes -= weight(before);
      digest -= digest(context, name, before);
    }
    return before;
  }

  /// Makes a context that is bound nowhere.
  long create() throws FailedException {
    if (contexts.size() == CONTEXTS_MAX) {
      throw new FailedException(RomiopFailure.FULL);
    }
    contexts.put(++last, new TreeMap<>());
    return last;
  }

  /// Ends an empty context.
  void destroy(long context) {
    contexts.remove(context);
  }

  /// What is bound behind a name.
  ///
  /// @param after null: from the first on
  List<Map.Entry<Name, Bound>> list(long context, @Nullable Name after, int most) {
    TreeMap<Name, Bound> all = context(context);
    return (after == null ? all : all.tailMap(after, false)).entrySet().stream().limit(most).toList();
  }

  /// Begins a list.
  long open(Listing list) {
    if (lists.size() == LISTS_MAX) {
      lists.pollFirstEntry();
    }
    lists.put(++last, list);
    return last;
  }

  @Nullable Listing listing(long number) {
    return lists.get(number);
  }

  void advance(long number, Listing to) {
    lists.put(number, to);
  }

  void close(long number) {
    lists.remove(number);
  }

  StateMachine.Snapshot snapshot() {
    long ofRealm = realm;
    long given = last;
    var copy = new TreeMap<Long, TreeMap<Name, Bound>>();
    contexts.forEach((number, all) -> copy.put(number, new TreeMap<>(all)));
    var reading = new TreeMap<Long, Listing>(lists);
    return to -> {
      var out = new DataOutputStream(to);
      out.writeLong(ofRealm);
      out.writeLong(given);
      out.writeInt(copy.size());
      for (Map.Entry<Long, TreeMap<Name, Bound>> each : copy.entrySet()) {
        out.writeLong(each.getKey());
        out.writeInt(each.getValue().size());
        for (Map.Entry<Name, Bound> bound : each.getValue().entrySet()) {
          write(bound.getKey(), out);
          write(bound.getValue(), out);
        }
      }
      out.writeInt(reading.size());
      for (Map.Entry<Long, Listing> each : reading.entrySet()) {
        out.writeLong(each.getKey());
        out.writeLong(each.getValue().context);
        Name name = each.getValue().last;
        out.writeBoolean(name != null);
        if (name != null) {
          write(name, out);
        }
      }
      out.flush();
    };
  }

  private static void write(Name name, DataOutputStream out) throws IOException {
    out.writeUTF(name.id);
    out.writeUTF(name.kind);
  }

  private static void write(Bound bound, DataOutputStream out) throws IOException {
    switch (bound) {
      case Bound.Own(long number) -> {
        out.writeByte(0);
        out.writeLong(number);
      }
      case Bound.Foreign(ByteBuffer reference, boolean isContext) -> {
        out.writeByte(isContext ? 2 : 1);
        out.writeInt(reference.remaining());
        out.write(reference.array());
      }
    }
  }

  void restore(DataInputStream in) throws IOException {
    contexts.clear();
    lists.clear();
    bindings = 0;
    bytes = 0;
    digest = 0;
    realm = in.readLong();
    last = in.readLong();
    for (int left = in.readInt(); left != 0; left--) {
      long number = in.readLong();
      require(left > 0 && (contexts.isEmpty() ? number == ROOT : number > contexts.lastKey() && number <= last));
      contexts.put(number, new TreeMap<>());
      restoreBindings(number, in);
    }
    require(!contexts.isEmpty());
    for (int left = in.readInt(); left != 0; left--) {
      long number = in.readLong();
      require(left > 0 && number <= last && (lists.isEmpty() || number > lists.lastKey()));
      lists.put(number, new Listing(in.readLong(), readFlag(in) ? readName(in) : null));
    }
  }

  private void restoreBindings(long context, DataInputStream in) throws IOException {
    TreeMap<Name, Bound> all = context(context);
    for (int left = in.readInt(); left != 0; left--) {
      Name name = readName(in);
      require(left > 0 && (all.isEmpty() || all.lastKey().compareTo(name) < 0));
      enter(context, name, readBound(in));
    }
  }

  private static boolean readFlag(DataInputStream in) throws IOException {
    int flag = in.readUnsignedByte();
    require(flag <= 1);
    return flag == 1;
  }

  private static Name readName(DataInputStream in) throws IOException {
    return new Name(in.readUTF(), in.readUTF());
  }

  private static Bound readBound(DataInputStream in) throws IOException {
    int kind = in.readUnsignedByte();
    if (kind == 0) {
      return new Bound.Own(in.readLong());
    }
    int length = in.readInt();
    require(kind <= 2 && length >= 0 && length <= TYPE_MAX + 2 * REFERENCE_BYTES_MAX);
    byte[] reference = in.readNBytes(length);
    var bound = new Bound.Foreign(ByteBuffer.wrap(reference), kind == 2);
    try {
      require(ByteBuffer.wrap(new CdrOut().reference(bound.ior()).bytes()).equals(bound.reference));
    } catch (IllegalStateException e) {
      throw new IOException("a reference that cannot be read", e);
    }
    return bound;
  }

  private static void require(boolean condition) throws IOException {
    if (!condition) {
      throw new IOException("not the state of a naming service");
    }
  }

  long digest() {
    long ofContexts = 31 * contexts.keySet().hashCode() + lists.keySet().hashCode();
    return 31 * (31 * (31 * realm + last) + ofContexts) + digest;
  }
}
