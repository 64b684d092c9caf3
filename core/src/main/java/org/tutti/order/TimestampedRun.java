package org.tutti.order;

import java.util.List;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Successive batches of one sender with successive logical timestamps.
///
/// @param seq       the first batch's number
/// @param length    how many batches, at least 1
/// @param timestamp the first batch's timestamp; each following batch has the next one
public record TimestampedRun(long seq, int length, long timestamp) {
  /// A longer one is two. Far more than a sender's window holds.
  static final int LENGTH_MAX = 1 << 20;

  /// The least bytes of a run in a message.
  static final int BYTES_MIN = 3;

  /// A clock that rises by a thousand million a second gets there in 146 years; it is far enough from the largest
  /// number that whoever believes such a stamp can go on counting.
  static final long TIMESTAMP_MAX = 1L << 62;

  /// The number behind the last batch.
  ///
  /// @return first number plus length
  public long end() {
    return seq + length;
  }

  /// The timestamp of the last batch.
  ///
  /// @return the highest of this run
  public long last() {
    return timestamp + length - 1;
  }

  /// The timestamp of a batch.
  ///
  /// @param number the batch's number, from [#seq] to below [#end]
  /// @return its timestamp
  public long timestampOf(long number) {
    return timestamp + (number - seq);
  }

  /// The same without its first batches.
  ///
  /// @param count how many to leave out, less than the length
  /// @return the rest
  TimestampedRun without(int count) {
    return new TimestampedRun(seq + count, length - count, timestamp + count);
  }

  /// Whether another run goes on where this one ends, in numbers and in timestamps.
  private boolean goesOnWith(TimestampedRun run) {
    return end() == run.seq && timestamp + length == run.timestamp && length + run.length <= LENGTH_MAX;
  }

  /// Appends a run to a list, extending the last one where possible.
  ///
  /// @param runs the list
  /// @param run  what follows
  static void append(List<TimestampedRun> runs, TimestampedRun run) {
    if (!runs.isEmpty() && runs.getLast().goesOnWith(run)) {
      TimestampedRun last = runs.removeLast();
      runs.add(new TimestampedRun(last.seq, last.length + run.length, last.timestamp));
    } else {
      runs.add(run);
    }
  }

  /// Appends this to a message.
  ///
  /// @param out where to
  void write(WireWriter out) {
    out.count(seq);
    out.count(length);
    out.count(timestamp);
  }

  /// Takes one from a message.
  ///
  /// @param in where from
  /// @return the run
  /// @throws Malformed when a number is out of its range
  static TimestampedRun read(WireReader in) throws Malformed {
    var run = new TimestampedRun(in.count(), in.countUpTo(LENGTH_MAX), in.count());
    if (run.length == 0 || run.end() < 0 || run.timestamp > TIMESTAMP_MAX) {
      throw new Malformed("run");
    }
    return run;
  }
}
