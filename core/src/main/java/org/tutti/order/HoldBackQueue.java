package org.tutti.order;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.pack.Batch;

/// Where batches wait that came before what their senders had delivered, or before earlier batches of their senders:
/// links are in order one by one, but not together, and batches may come from their sender or from member to member.
///
/// Guarantee: what leaves the queue may enter the [Log], and then the log is *closed*: it contains the causal past of
/// all that it contains. So is every union of members' logs, and with it the cut of a view change; and since an
/// ordering is told of a batch only then, every member sees causes before effects. A sender's batches leave in their
/// order.
///
/// The wait ends because what is waited for was sent to everybody; if its sender has gone, a view change brings it, or
/// decides that nobody has it.
public final class HoldBackQueue {
  private static final int BATCH_OVERHEAD = 64;

  private final Log log;
  private final long bytesMax;
  private final List<ArrayDeque<Batch>> waiting = new ArrayList<>(); // by rank, from the sender's next one on
  private final List<TreeMap<Long, Batch>> ahead = new ArrayList<>(); // by rank and number, behind a gap
  private final long[] bytes; // by rank
  private int size;

  /// Makes an empty queue.
  ///
  /// @param log      where batches go from here
  /// @param bytesMax how much of one sender may wait: its window, and something for what does not count there
  public HoldBackQueue(Log log, long bytesMax) {
    this.log = log;
    this.bytesMax = bytesMax;
    this.bytes = new long[log.view().size()];
    for (int rank = 0; rank < bytes.length; rank++) {
      waiting.add(new ArrayDeque<>());
      ahead.add(new TreeMap<>());
    }
  }

  /// Takes a batch in. [#next] gives it back, at once or later.
  ///
  /// @param rank  its sender's rank
  /// @param batch the batch; its past fits the view
  /// @param first whether it is the sender's first one in the view
  /// @param apart whether the one before may come later, as it took another way
  /// @return whether it can be one of the sender's; another is not taken
  public boolean enter(int rank, Batch batch, boolean first, boolean apart) {
    long expected = expected(rank);
    long seq = batch.seq();
    boolean next = expected == Log.UNKNOWN ? first : expected == seq;
    if (!next && (first || !isAhead(rank, seq, expected, apart))) {
      return false;
    }
    if (next) {
      waiting.get(rank).add(batch);
    } else {
      ahead.get(rank).put(seq, batch);
    }
    bytes[rank] += cost(batch);
    size++;
    closeGap(rank);
    return true;
  }

  /// The number of the sender's first batch that is neither here nor in the log.
  private long expected(int rank) {
    ArrayDeque<Batch> lane = waiting.get(rank);
    return lane.isEmpty() ? log.next(rank) : lane.getLast().seq() + 1;
  }

  /// Whether a batch can have overtaken those before it. What takes one way comes in order, so then the one before is
  /// here, unless it took the other way.
  private boolean isAhead(int rank, long seq, long expected, boolean apart) {
    TreeMap<Long, Batch> lane = ahead.get(rank);
    return seq > expected && !lane.containsKey(seq) && (apart || lane.containsKey(seq - 1));
  }

  private void closeGap(int rank) {
    TreeMap<Long, Batch> lane = ahead.get(rank);
    if (!lane.isEmpty()) {
      for (Batch next = lane.remove(expected(rank)); next != null; next = lane.remove(expected(rank))) {
        waiting.get(rank).add(next);
      }
    }
  }

  private static long cost(Batch batch) {
    return batch.payload().remaining() + (long) BATCH_OVERHEAD;
  }

  /// Whether more of a sender waits than it may have on the way.
  ///
  /// @param rank the sender's rank
  /// @return whether it breaks the rules
  public boolean isFull(int rank) {
    return bytes[rank] > bytesMax;
  }

  /// Lets a batch go whose causal past is in the log. The caller puts it into the log before it asks again.
  ///
  /// @return the batch, or null when none may go
  public @Nullable Batch next() {
    if (size == 0) {
      return null;
    }
    for (int rank = 0; rank < bytes.length; rank++) {
      Batch first = waiting.get(rank).peekFirst();
      if (first != null && log.contains(first.past())) {
        waiting.get(rank).remove();
        bytes[rank] -= cost(first);
        size--;
        return first;
      }
    }
    return null;
  }

  /// Forgets what waits: the view is wedged, and what is not in the log counts as not received.
  public void clear() {
    waiting.forEach(ArrayDeque::clear);
    ahead.forEach(TreeMap::clear);
    Arrays.fill(bytes, 0);
    size = 0;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    int batches = 0;
    for (int rank = 0; rank < bytes.length; rank++) {
      long next = -1;
      long sum = 0;
      for (Batch batch : waiting.get(rank)) {
        long in = log.next(rank);
        boolean goesOn = next < 0 ? batch.seq() == in || in == Log.UNKNOWN : batch.seq() == next;
        Invariant.check(goesOn, "what waits goes on where the log ends");
        next = batch.seq() + 1;
        sum += cost(batch);
        batches++;
      }
      for (Batch batch : ahead.get(rank).values()) {
        Invariant.check(batch.seq() > expected(rank), "only what came before its turn is behind a gap");
        sum += cost(batch);
        batches++;
      }
      Invariant.check(bytes[rank] == sum, "the bytes of what waits are counted");
    }
    Invariant.check(size == batches, "what waits is counted");
  }
}
