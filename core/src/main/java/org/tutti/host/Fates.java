package org.tutti.host;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What is to be told of messages, oldest first; null for one whose sender does not ask. Grows to the most that ever
/// waited and allocates nothing else.
final class Fates {
  private static final int ROOM = 64;

  private @Nullable CompletableFuture<Long>[] ring = room(ROOM); // a power of two
  private long first;
  private long next;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static @Nullable CompletableFuture<Long>[] room(int size) {
    return new CompletableFuture[size];
  }

  int size() {
    return (int) (next - first);
  }

  boolean isEmpty() {
    return first == next;
  }

  void add(@Nullable CompletableFuture<Long> fate) {
    if (size() == ring.length) {
      var larger = Fates.room(2 * ring.length);
      for (long at = first; at < next; at++) {
        larger[(int) at & larger.length - 1] = ring[(int) at & ring.length - 1];
      }
      ring = larger;
    }
    ring[(int) next & ring.length - 1] = fate;
    next++;
  }

  @Nullable CompletableFuture<Long> remove() {
    if (first == next) {
      throw new IllegalStateException("more was decided than was sent");
    }
    int at = (int) first & ring.length - 1;
    CompletableFuture<Long> fate = ring[at];
    ring[at] = null;
    first++;
    return fate;
  }
}
