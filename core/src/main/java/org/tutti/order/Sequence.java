package org.tutti.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;

/// Elements with successive numbers: appended at the end, dropped at the front, found by number.
///
/// @param <T> the elements' type
final class Sequence<T> {
  private static final int INITIAL_SIZE = 16;

  private @Nullable Object[] ring = new Object[INITIAL_SIZE]; // a power of two long
  private long first;
  private long next; // first <= next, next - first <= ring.length

  Sequence(long first) {
    this.first = first;
    this.next = first;
  }

  long first() {
    return first;
  }

  long next() {
    return next;
  }

  boolean holds(long number) {
    return number >= first && number < next;
  }

  @SuppressWarnings("unchecked") // only append puts elements in
  T get(long number) {
    Object element = holds(number) ? ring[(int) number & ring.length - 1] : null;
    if (element == null) {
      throw new IndexOutOfBoundsException(number + " is not in [" + first + ", " + next + ")");
    }
    return (T) element;
  }

  void append(T element) {
    if (next - first == ring.length) {
      grow();
    }
    ring[(int) next++ & ring.length - 1] = element;
  }

  private void grow() {
    Object[] larger = new Object[ring.length * 2];
    for (long number = first; number < next; number++) {
      larger[(int) number & larger.length - 1] = ring[(int) number & ring.length - 1];
    }
    ring = larger;
  }

  void dropBefore(long number) {
    long end = Math.min(number, next);
    while (first < end) {
      ring[(int) first++ & ring.length - 1] = null;
    }
  }

  void truncate(long number) {
    while (next > Math.max(number, first)) {
      ring[(int) --next & ring.length - 1] = null;
    }
  }

  void check() {
    Invariant.check(first <= next && next - first <= ring.length, "what a sequence holds has room in its ring");
    Object head = ring[(int) first & ring.length - 1];
    Object tail = ring[(int) next - 1 & ring.length - 1];
    Invariant.check(first == next || (head != null && tail != null), "a sequence has no gap at its ends");
  }

  @Override
  public String toString() {
    return "[" + first + ", " + next + ") of " + Arrays.toString(ring);
  }
}
