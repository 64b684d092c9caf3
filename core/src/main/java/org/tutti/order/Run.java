package org.tutti.order;

import java.util.ArrayList;
import java.util.List;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Successive batches of one sender at successive places.
///
/// @param rank   the sender's rank in the view
/// @param seq    the first batch's number
/// @param length how many batches, at least 1
public record Run(int rank, long seq, int length) {
  private static final int BYTES_MIN = 3;
  private static final int LENGTH_MAX = 1 << 20;

  /// Appends a place to a list of runs, extending the last run where possible.
  ///
  /// @param runs the list
  /// @param rank the sender's rank
  /// @param seq  the batch's number
  public static void append(List<Run> runs, int rank, long seq) {
    append(runs, rank, seq, 1);
  }

  /// Appends successive batches of one sender to a list of runs, extending the last run where possible.
  ///
  /// @param runs   the list
  /// @param rank   the sender's rank
  /// @param seq    the first batch's number
  /// @param length how many batches there are; more than a run holds become several
  public static void append(List<Run> runs, int rank, long seq, long length) {
    long at = seq;
    long left = length;
    if (!runs.isEmpty() && left > 0) {
      Run last = runs.getLast();
      if (last.rank == rank && last.next() == at && last.length < LENGTH_MAX) {
        int more = (int) Math.min(left, LENGTH_MAX - last.length);
        runs.set(runs.size() - 1, new Run(rank, last.seq, last.length + more));
        at += more;
        left -= more;
      }
    }
    while (left > 0) {
      int part = (int) Math.min(left, LENGTH_MAX);
      runs.add(new Run(rank, at, part));
      at += part;
      left -= part;
    }
  }

  /// The number behind the last batch.
  ///
  /// @return the first number plus the length
  public long next() {
    return seq + length;
  }

  /// Some places of a list of runs, as few runs.
  ///
  /// @param runs the list
  /// @param from how many places come before; none, if it is not positive
  /// @param to   how many come up to the last one that is wanted; more than there are for all
  /// @return runs, equal for equal places
  public static List<Run> between(List<Run> runs, long from, long to) {
    List<Run> between = new ArrayList<>();
    long at = 0;
    for (Run run : runs) {
      long first = Math.max(at, from);
      long next = Math.min(at + run.length, to);
      append(between, run.rank, run.seq + first - at, Math.max(0, next - first));
      at += run.length;
    }
    return between;
  }

  /// How many places a list of runs has.
  ///
  /// @param runs the list
  /// @return the sum of the lengths
  public static long places(List<Run> runs) {
    long places = 0;
    for (Run run : runs) {
      places += run.length;
    }
    return places;
  }

  /// Appends runs to a message.
  ///
  /// @param runs the list
  /// @param out  where to
  public static void write(List<Run> runs, WireWriter out) {
    out.count(runs.size());
    for (Run run : runs) {
      out.count(run.rank);
      out.count(run.seq);
      out.count(run.length);
    }
  }

  /// Takes runs from a message.
  ///
  /// @param in where from
  /// @return the list
  /// @throws Malformed when a number is out of its range
  public static List<Run> read(WireReader in) throws Malformed {
    int size = in.listLength(BYTES_MIN);
    List<Run> runs = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      var run = new Run(in.countUpTo(Short.MAX_VALUE), in.count(), in.countUpTo(LENGTH_MAX));
      if (run.length == 0) {
        throw new Malformed("run");
      }
      runs.add(run);
    }
    return runs;
  }
}
