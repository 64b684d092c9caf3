package org.tutti.sim.exhaustive;

import java.util.Arrays;

/// Different states, as rows of numbers, in the order in which they were found. Exact: rows are compared, not hashes.
final class StateSet {
  private static final int INITIAL = 1 << 12;

  private final int width;
  private int[] rows;
  private int[] parents = new int[INITIAL];
  private int[] table = new int[INITIAL * 2]; // number of a row + 1, or 0
  private int size;

  StateSet(int width) {
    this.width = width;
    this.rows = new int[INITIAL * width];
  }

  int size() {
    return size;
  }

  void copy(int number, int[] to) {
    System.arraycopy(rows, number * width, to, 0, width);
  }

  int parent(int number) {
    return parents[number];
  }

  /// Adds a state if it is new.
  void add(int[] row, int parent) {
    int slot = slot(row, table);
    if (table[slot] != 0) {
      return;
    }
    if (size == parents.length) {
      grow();
      slot = slot(row, table);
    }
    System.arraycopy(row, 0, rows, size * width, width);
    parents[size] = parent;
    table[slot] = ++size;
  }

  private int slot(int[] row, int[] in) {
    int hash = 0;
    for (int value : row) {
      hash = (hash ^ value) * 0x9E3779B1;
      hash ^= hash >>> 15;
    }
    int slot = hash & in.length - 1;
    while (in[slot] != 0 && !isAt(in[slot] - 1, row)) {
      slot = slot + 1 & in.length - 1;
    }
    return slot;
  }

  private boolean isAt(int number, int[] row) {
    return Arrays.equals(rows, number * width, (number + 1) * width, row, 0, width);
  }

  private void grow() {
    rows = Arrays.copyOf(rows, rows.length * 2);
    parents = Arrays.copyOf(parents, parents.length * 2);
    int[] larger = new int[table.length * 2];
    int[] row = new int[width];
    for (int number = 0; number < size; number++) {
      copy(number, row);
      larger[slot(row, larger)] = number + 1;
    }
    table = larger;
  }
}
