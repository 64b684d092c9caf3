package org.tutti.order;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tutti.Invariant;

/// Which batch stands at which index, from one index on without a gap. Kept as runs, so that a long run costs no more
/// than a short one, whoever said it.
final class PlaceList {
  private static final int INITIAL_SIZE = 16;

  // Slot by slot a run's first index, its sender's rank and its first number; runs end where the next one begins.
  private long[] indexes = new long[INITIAL_SIZE];
  private int[] ranks = new int[INITIAL_SIZE];
  private long[] seqs = new long[INITIAL_SIZE];
  private int head; // the first run's slot; it may begin before `first`
  private int tail; // behind the last run's slot
  private long first;
  private long next; // first <= next

  PlaceList(long first) {
    this.first = first;
    this.next = first;
  }

  long first() {
    return first;
  }

  long next() {
    return next;
  }

  /// The slot of the run in which an index lies; valid until the list is changed.
  int slot(long index) {
    if (index < first || index >= next) {
      throw new IndexOutOfBoundsException(index + " is not in [" + first + ", " + next + ")");
    }
    int at = Arrays.binarySearch(indexes, head, tail, index);
    return at >= 0 ? at : -at - 2;
  }

  int rank(int slot) {
    return ranks[slot];
  }

  /// The number of the batch at an index.
  long seq(int slot, long index) {
    return seqs[slot] + (index - indexes[slot]);
  }

  /// Whether a batch stands at an index of the list.
  boolean has(long index, int rank, long seq) {
    int slot = slot(index);
    return ranks[slot] == rank && seq(slot, index) == seq;
  }

  /// Gives the next indexes to successive batches of one sender.
  void append(int rank, long seq, long length) {
    boolean goesOn = head < tail && ranks[tail - 1] == rank && seq(tail - 1, next) == seq;
    if (!goesOn) {
      if (tail == indexes.length) {
        makeRoom();
      }
      indexes[tail] = next;
      ranks[tail] = rank;
      seqs[tail++] = seq;
    }
    next += length;
  }

  private void makeRoom() {
    int used = tail - head;
    int size = used > indexes.length / 2 ? indexes.length * 2 : indexes.length;
    indexes = Arrays.copyOf(Arrays.copyOfRange(indexes, head, tail), size);
    ranks = Arrays.copyOf(Arrays.copyOfRange(ranks, head, tail), size);
    seqs = Arrays.copyOf(Arrays.copyOfRange(seqs, head, tail), size);
    head = 0;
    tail = used;
  }

  void dropBefore(long index) {
    first = Math.clamp(index, first, next);
    while (head < tail && (head + 1 < tail ? indexes[head + 1] : next) <= first) {
      head++;
    }
  }

  void truncate(long index) {
    next = Math.clamp(index, first, next);
    while (head < tail && indexes[tail - 1] >= next) {
      tail--;
    }
  }

  /// The places from one index to before another, as far as they are in the list.
  List<Run> between(long from, long to) {
    List<Run> runs = new ArrayList<>();
    for (long at = Math.max(from, first); at < Math.min(to, next); ) {
      int slot = slot(at);
      long end = Math.min(slot + 1 < tail ? indexes[slot + 1] : next, Math.min(to, next));
      Run.append(runs, ranks[slot], seq(slot, at), end - at);
      at = end;
    }
    return runs;
  }

  void check() {
    Invariant.check(
        first <= next && 0 <= head && head <= tail && tail <= indexes.length, "a list of places has an order");
    Invariant.check(first == next || head < tail, "every place is in a run");
    Invariant.check(
        head == tail || (indexes[head] <= first && indexes[tail - 1] < next), "runs reach from the first place on");
    for (int slot = head + 1; slot < tail; slot++) {
      Invariant.check(indexes[slot - 1] < indexes[slot] && indexes[slot] > first, "runs begin one after the other");
    }
  }
}
