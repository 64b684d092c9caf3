package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.tutti.Guarantee;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Gave;
import org.tutti.sim.check.HistoryEvent.Restored;
import org.tutti.sim.check.HistoryEvent.Summary;

/// A sender's batches are delivered in its order, none missing, none twice, on through views, state transfers and
/// restarts.
///
/// Where deliveries begin without state, the first batch of a sender may be any later one. In groups with agreed
/// delivery those batches may be missing that their sender delivered while it was cut off; nobody else has them. What
/// the others deliver of its next view may come to their applications before its own is through with the lost ones, or
/// at its end has not even begun with them.
public record FifoOrder() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    int members = history.members().size();
    List<BatchCounts> counts = new ArrayList<>();
    history.members().forEach(_ -> counts.add(new BatchCounts(members, true)));
    List<Own> own = own(history);
    Map<String, BatchCounts> given = new HashMap<>();
    Map<Summary, BatchCounts> saved = new HashMap<>();
    long[] contained = new long[members]; // the index behind the durable state with which a restart began
    for (HistoryEvent event : history.events()) {
      int member = event.member();
      switch (event) {
        case Gave gave -> given.put(member + "/" + gave.transfer(), counts.get(member).copy());
        case Restored restored -> {
          BatchCounts state = given.get(restored.donor() + "/" + restored.transfer());
          counts.set(member, state == null ? new BatchCounts(members, false) : state.copy());
        }
        case HistoryEvent.Saved(_, _, Summary summary) -> saved.put(summary, counts.get(member).copy());
        case HistoryEvent.Restarted(_, _, _, Summary summary) when summary != null -> {
          counts.set(member, saved.get(summary).copy());
          contained[member] = summary.index();
        }
        case HistoryEvent.Begun begun when !history.stateTransfer(member) && begun.index() > 0 ->
            counts.get(member).forget(history.guarantee() == Guarantee.UNIFORM);
        case Delivered delivered when delivered.index() >= contained[member] ->
            take(history, delivered, counts.get(member), own.get(delivered.batch().sender()), report);
        default -> {}
      }
    }
  }

  /// What a member's application delivered of the member itself in the whole run.
  private static final class Own {
    final Set<Long> delivered = new HashSet<>();
    long last = -1;
    boolean gone; // before it had perhaps delivered all that its engine had

    boolean mayHaveLost(long seq) {
      return delivered.contains(seq) || (gone && seq > last);
    }
  }

  private static List<Own> own(History history) {
    List<Own> own = new ArrayList<>();
    history.members().forEach(_ -> own.add(new Own()));
    for (HistoryEvent event : history.events()) {
      Own mine = own.get(event.member());
      switch (event) {
        case Delivered delivered when delivered.batch().sender() == delivered.member() -> {
          mine.delivered.add(delivered.batch().seq());
          mine.last = Math.max(mine.last, delivered.batch().seq());
        }
        case HistoryEvent.Crashed _, HistoryEvent.Closed _ -> mine.gone = true;
        default -> {}
      }
    }
    return own;
  }

  private static void take(History history, Delivered delivered, BatchCounts counts, Own own, Consumer<String> report) {
    Content batch = delivered.batch();
    long expected = counts.of(batch.sender());
    boolean fits = counts.allows(batch.sender(), batch.seq());
    if (!fits && history.guarantee() == Guarantee.AGREED && batch.seq() > expected) {
      fits = LongStream.range(expected, batch.seq()).allMatch(own::mayHaveLost);
    }
    if (!fits) {
      report.accept(
          history.name(delivered.member())
              + " delivered batch "
              + batch.seq()
              + " of "
              + history.name(batch.sender())
              + " at "
              + delivered.index()
              + ", expected was "
              + expected);
    }
    counts.set(batch.sender(), batch.seq() + 1);
  }

  /// How many batches of each sender a member's history contains, exactly or at least.
  private static final class BatchCounts {
    private final long[] next;
    private final boolean[] exact;

    BatchCounts(int members, boolean known) {
      next = new long[members];
      exact = new boolean[members];
      Arrays.fill(exact, known);
    }

    private BatchCounts(BatchCounts other) {
      next = other.next.clone();
      exact = other.exact.clone();
    }

    BatchCounts copy() {
      return new BatchCounts(this);
    }

    /// BatchCounts are not known exactly any more.
    ///
    /// @param atLeast whether there are at least as many as before
    void forget(boolean atLeast) {
      Arrays.fill(exact, false);
      if (!atLeast) {
        Arrays.fill(next, 0);
      }
    }

    boolean allows(int sender, long seq) {
      return exact[sender] ? seq == next[sender] : seq >= next[sender];
    }

    long of(int sender) {
      return next[sender];
    }

    void set(int sender, long value) {
      next[sender] = value;
      exact[sender] = true;
    }
  }
}
