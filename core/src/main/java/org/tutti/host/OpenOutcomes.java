package org.tutti.host;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.tutti.Outcome;

/// The futures of messages whose outcome is open, oldest first; null for one whose sender does not ask. Grows to the
/// most that ever waited and allocates nothing else.
final class OpenOutcomes {
  private static final int ROOM = 64;

  private @Nullable CompletableFuture<Outcome>[] ring = room(ROOM); // a power of two
  private long first;
  private long next;

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static @Nullable CompletableFuture<Outcome>[] room(int size) {
    return new CompletableFuture[size];
  }

  int size() {
    return (int) (next - first);
  }

  boolean isEmpty() {
    return first == next;
  }

  void add(@Nullable CompletableFuture<Outcome> outcome) {
    if (size() == ring.length) {
      var larger = OpenOutcomes.room(2 * ring.length);
      for (long at = first; at < next; at++) {
        larger[(int) at & larger.length - 1] = ring[(int) at & ring.length - 1];
      }
      ring = larger;
    }
    ring[(int) next & ring.length - 1] = outcome;
    next++;
  }

  @Nullable CompletableFuture<Outcome> remove() {
    if (first == next) {
      throw new IllegalStateException("more outcomes than multicasts");
    }
    int at = (int) first & ring.length - 1;
    CompletableFuture<Outcome> outcome = ring[at];
    ring[at] = null;
    first++;
    return outcome;
  }

  /// Removes all.
  ///
  /// @param into gets them, oldest first
  void removeAll(List<@Nullable CompletableFuture<Outcome>> into) {
    while (!isEmpty()) {
      into.add(remove());
    }
  }
}
