package org.tutti.durable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.membership.PersistentState;
import org.tutti.pack.Batch;
import org.tutti.storage.Region;
import org.tutti.storage.StorageException;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The bytes of a group's [Region]. Three records, `views` (what was promised and agreed, and which history is kept),
/// `base` (where the log begins, summed up) and `loose` (batches of an accepted end that had no place yet), and the
/// log: by index, who sent a batch, and the batch.
final class RegionCodec {
  private static final int VERSION = 6;
  private static final String VIEWS = "views";
  private static final String BASE = "base";
  private static final String LOOSE = "loose";
  private static final int BATCH_BYTES_MIN = 20;

  private RegionCodec() {}

  /// What the `views` record says.
  ///
  /// @param views   what was promised and agreed
  /// @param history the history of the last primary view that was installed, or null
  record Views(PersistentState views, Restart.@Nullable Kept history) {}

  /// What the `base` record says.
  ///
  /// @param base   where the log begins
  /// @param stable the index behind what all members of the view held
  record Base(Position base, long stable) {}

  /// Something that can turn bytes into a value.
  private interface Reading<T> {
    T read(WireReader in) throws Malformed;
  }

  static @Nullable Views views(Region region) {
    return record(
        region,
        VIEWS,
        in -> {
          int version = in.u8();
          if (version != VERSION) {
            throw new StorageException(
                "the record \""
                    + VIEWS
                    + "\" is of version "
                    + version
                    + ", this node reads version "
                    + VERSION
                    + ": "
                    + (version > VERSION
                        ? "a newer Tutti has written it, which is to start it again"
                        : "an older Tutti has written it; delete the storage, and the node joins as a new member"));
          }
          return new Views(
              PersistentState.read(in),
              in.optional(from -> new Restart.Kept(from.view(), from.count(), from.ordering())));
        });
  }

  static void views(Region region, Views views) {
    var out = new WireWriter();
    out.u8(VERSION);
    views.views.write(out);
    out.optional(
        views.history,
        (to, kept) -> {
          to.view(kept.view());
          to.count(kept.indexFirst());
          to.ordering(kept.ordering());
        });
    region.record(VIEWS, bytes(out.copy()));
  }

  static @Nullable Base base(Region region) {
    return record(region, BASE, in -> new Base(Position.read(in), in.count()));
  }

  static void base(Region region, Position base, long stable) {
    var out = new WireWriter();
    base.write(out);
    out.count(stable);
    region.record(BASE, bytes(out.copy()));
  }

  /// Batches of a view that came without places.
  static List<Batch> loose(Region region, ViewId of) {
    List<Batch> loose =
        record(
            region,
            LOOSE,
            in -> {
              ViewId view = in.viewId();
              List<Batch> batches =
                  in.list(BATCH_BYTES_MIN, from -> batch(new WireReader(from.bytes(Integer.MAX_VALUE))));
              return view.equals(of) ? batches : List.<Batch>of();
            });
    return loose == null ? List.of() : loose;
  }

  static void loose(Region region, ViewId of, List<Batch> batches) {
    var out = new WireWriter();
    out.viewId(of);
    out.count(batches.size());
    batches.forEach(batch -> out.bytes(ByteBuffer.wrap(bytes(batch))));
    region.record(LOOSE, bytes(out.copy()));
  }

  static void append(Region region, long index, Batch batch) {
    region.append(index, bytes(batch));
  }

  static Batch at(Region region, long index) {
    try {
      return batch(new WireReader(ByteBuffer.wrap(region.read(index))));
    } catch (Malformed malformed) {
      throw new StorageException("the log is damaged at index " + index, malformed);
    }
  }

  /// The batches of the log from one index to before another.
  static List<Batch> between(Region region, long from, long to) {
    List<Batch> batches = new ArrayList<>();
    for (long index = from; index < to; index++) {
      batches.add(at(region, index));
    }
    return batches;
  }

  private static byte[] bytes(Batch batch) {
    var out = new WireWriter();
    out.member(batch.sender());
    batch.write(out);
    out.raw(batch.payload());
    return bytes(out.copy());
  }

  private static Batch batch(WireReader in) throws Malformed {
    MemberId sender = in.member();
    return Batch.copy(sender, in);
  }

  private static byte[] bytes(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(from.position(), bytes);
    return bytes;
  }

  private static <T> @Nullable T record(Region region, String name, Reading<T> how) {
    byte[] bytes = region.record(name);
    if (bytes == null) {
      return null;
    }
    try {
      var in = new WireReader(ByteBuffer.wrap(bytes));
      T value = how.read(in);
      in.end();
      return value;
    } catch (Malformed malformed) {
      throw new StorageException("the record \"" + name + "\" is damaged", malformed);
    }
  }
}
