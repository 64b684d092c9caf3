package org.tutti.store;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// Empties the first file of the log, a little with each commit: the entries in it that are needed are written again.
final class Compaction {
  private record Item(FileRegion region, long index) {}

  private final FileStorage storage;
  private final int bytes; // per step
  private @Nullable Segment victim;
  private final Deque<Item> items = new ArrayDeque<>(); // what may be in it

  Compaction(FileStorage storage, int bytes) {
    this.storage = storage;
    this.bytes = bytes;
  }

  /// Moves some entries into the next commit.
  void step(Segment first, Collection<FileRegion> regions) {
    if (victim != first) {
      victim = first;
      items.clear();
      regions.forEach(region -> region.in(first, index -> items.add(new Item(region, index))));
    }
    int moved = 0;
    while (moved < bytes && !items.isEmpty()) {
      Item item = items.remove();
      moved += item.region.rewrite(item.index, first);
    }
  }
}
