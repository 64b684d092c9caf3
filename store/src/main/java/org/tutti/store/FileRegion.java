package org.tutti.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.tutti.storage.Region;

/// One group's part: its records, which are few and kept in memory, and where the entries of its log are.
final class FileRegion implements Region {
  /// Where an entry is.
  record Place(Segment segment, long at, int length, int checksum) {}

  final int id;
  final String name;
  private final FileStorage storage;
  private final Map<String, byte[]> records = new TreeMap<>();
  private final List<@Nullable Place> places = new ArrayList<>(); // null: dropped
  private final SortedMap<Long, Place> earlier = new TreeMap<>(); // by index, below the base: only while reading files
  private long base; // the index of the first place
  private long first;
  boolean declared; // whether the log has heard of it

  FileRegion(int id, String name, FileStorage storage) {
    this.id = id;
    this.name = name;
    this.storage = storage;
  }

  // ---- what the node asks for ------------------------------------------------------------------------------------

  @Override
  public byte @Nullable [] record(String which) {
    storage.refuseIfUnusable();
    byte[] value = records.get(which);
    return value == null ? null : value.clone();
  }

  @Override
  public void record(String which, byte[] value) {
    storage.refuseIfUnusable();
    storage.draft(this).record(id, which, value);
    keep(which, value.clone());
  }

  @Override
  public long first() {
    return first;
  }

  @Override
  public long next() {
    return base + places.size();
  }

  @Override
  public void append(long index, byte[] entry) {
    storage.refuseIfUnusable();
    if (index < 0 || (first < next() && index != next())) {
      throw new IllegalArgumentException("the log goes on at " + next() + ", not " + index);
    }
    add(index, storage.write(Draft.APPEND, this, index, entry));
  }

  @Override
  public byte[] read(long index) {
    storage.refuseIfUnusable();
    if (index < first || index >= next()) {
      throw new IllegalArgumentException("the log has " + first + " to before " + next() + ", not " + index);
    }
    return storage.read(this, index, place(index));
  }

  @Override
  public void dropBefore(long index) {
    storage.refuseIfUnusable();
    if (index > next()) {
      throw new IllegalArgumentException("the log ends at " + next() + ", before " + index);
    }
    if (index > first) {
      storage.draft(this).limit(Draft.DROP, id, index);
      drop(index);
    }
  }

  @Override
  public void truncate(long index) {
    storage.refuseIfUnusable();
    if (index < first) {
      throw new IllegalArgumentException("the log begins at " + first + ", behind " + index);
    }
    if (index < next()) {
      storage.draft(this).limit(Draft.TRUNCATE, id, index);
      cut(index);
    }
  }

  // ---- the same, as it is done and done again --------------------------------------------------------------------

  Map<String, byte[]> records() {
    return records;
  }

  void keep(String which, byte[] value) {
    records.put(which, value);
  }

  void add(long index, Place place) {
    if (first == next()) {
      places.clear();
      base = index;
      first = index;
    }
    require(index >= 0 && index == next());
    places.add(place);
    use(place);
  }

  void drop(long to) {
    require(to <= next());
    if (first < base) {
      first = Math.min(to, base);
      forget(earlier.headMap(first));
    }
    for (; first < to; first++) {
      free(places.set((int) (first - base), null));
    }
    if (first - base > places.size() / 2) { // seldom enough that it costs no more than the adding did
      places.subList(0, (int) (first - base)).clear();
      base = first;
    }
  }

  void cut(long to) {
    require(to >= first);
    while (next() > to && !places.isEmpty()) {
      free(places.removeLast());
    }
    if (base > to) {
      base = to;
      forget(earlier.tailMap(to));
    }
  }

  private static void forget(SortedMap<Long, Place> some) {
    some.values().forEach(FileRegion::free);
    some.clear();
  }

  /// The log is known to reach from here to there; its entries are elsewhere, unless they were dropped since. So
  /// nothing is kept for them before they are found: what a file says is no reason to use much memory.
  void range(long from, long to) {
    require(first == next() && from >= 0 && from <= to);
    places.clear();
    first = from;
    base = to;
  }

  /// The entry is found at another place from now on.
  void move(long index, Place place) {
    require(index >= first && index < next());
    free(index < base ? earlier.put(index, place) : places.set((int) (index - base), place));
    use(place);
  }

  /// What is done again was written by [#append] and the like, which have compared it with the log.
  private void require(boolean possible) {
    if (!possible) {
      throw new IllegalArgumentException("not of a log that has " + first + " to before " + next());
    }
  }

  /// All files are read: every entry is somewhere.
  void refuseGaps() throws FileStorage.Damaged {
    for (long index = first; index < base; index++) {
      if (!earlier.containsKey(index)) {
        throw new FileStorage.Damaged("entry " + index + " of group \"" + name + "\" was in a file that is missing");
      }
    }
    if (first < base) {
      places.addAll(0, earlier.values());
      earlier.clear();
      base = first;
    }
  }

  // ---- compaction ------------------------------------------------------------------------------------------------

  /// Names the entries that are in a file.
  void in(Segment segment, LongConsumer indexes) {
    for (long index = first; index < next(); index++) {
      if (place(index).segment == segment) {
        indexes.accept(index);
      }
    }
  }

  /// Moves an entry that is still needed out of a file.
  ///
  /// @return how many bytes were written
  int rewrite(long index, Segment from) {
    if (index < first || index >= next() || place(index).segment != from) {
      return 0;
    }
    byte[] entry = storage.read(this, index, place(index));
    move(index, storage.write(Draft.MOVE, this, index, entry));
    return entry.length;
  }

  /// Where an entry of the log is: somewhere ([#refuseGaps]).
  private Place place(long index) {
    return Objects.requireNonNull(places.get((int) (index - base)));
  }

  private static void use(Place place) {
    place.segment.live += place.length + 1L;
  }

  private static void free(@Nullable Place place) {
    if (place != null) {
      place.segment.live -= place.length + 1L;
    }
  }
}
