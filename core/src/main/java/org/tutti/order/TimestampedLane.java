package org.tutti.order;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;

/// One sender's batches at one member on their way through Skeen's algorithm, in order: those that are here, then those
/// for which this member has proposed a timestamp (pending), then those whose timestamp is decided.
final class TimestampedLane {
  /// No batch of this sender is on its way.
  static final long NOTHING = Long.MAX_VALUE;

  private final ArrayDeque<TimestampedRun> pending = new ArrayDeque<>(); // with the timestamps proposed here
  private final ArrayDeque<TimestampedRun> decided = new ArrayDeque<>(); // with the sender's decisions, not placed yet
  private boolean begun;
  private long arrivedNext; // behind the last batch that is here
  private long proposedNext; // behind the last one that was proposed a timestamp
  private long decidedNext; // decidedNext <= proposedNext <= arrivedNext
  private long decidedLast; // the timestamp of the last decided batch

  void arrived(long seq) {
    if (!begun) {
      begun = true;
      proposedNext = seq;
      decidedNext = seq;
    }
    arrivedNext = seq + 1;
  }

  /// Stamps the next batches that have no proposal.
  ///
  /// @param clock  gives the timestamps
  /// @param length how many batches; as many are here
  TimestampedRun propose(Clock clock, int length) {
    var run = new TimestampedRun(proposedNext, length, clock.tick());
    for (int i = 1; i < length; i++) {
      clock.tick();
    }
    pending.add(run);
    proposedNext = run.end();
    return run;
  }

  long arrivedNext() {
    return arrivedNext;
  }

  long decidedNext() {
    return decidedNext;
  }

  /// Whether these can be the sender's decisions on its first pending batches: all of these were proposed here, the
  /// timestamps rise, and none is below what was proposed here.
  boolean canDecide(List<TimestampedRun> runs) {
    Iterator<TimestampedRun> proposals = pending.iterator();
    @Nullable TimestampedRun proposal = null;
    long at = decidedNext;
    long last = decidedLast;
    for (TimestampedRun run : runs) {
      if (run.seq() != at || run.end() > proposedNext || run.timestamp() <= last) {
        return false;
      }
      while (at < run.end()) {
        if (proposal == null || at == proposal.end()) {
          proposal = proposals.next();
        }
        if (run.timestampOf(at) < proposal.timestampOf(at)) {
          return false;
        }
        at = Math.min(run.end(), proposal.end());
      }
      last = run.last();
    }
    return !runs.isEmpty();
  }

  /// Takes a decision on the first pending batches.
  void decide(TimestampedRun run) {
    decided.add(run);
    decidedNext = run.end();
    decidedLast = run.last();
    drop(pending, run.length());
  }

  /// The least timestamp that the first of these batches has or could still get. It will be at least what was proposed
  /// here, and more than the batch before got.
  long lowest() {
    if (!decided.isEmpty()) {
      return decided.getFirst().timestamp();
    }
    return pending.isEmpty() ? NOTHING : Math.max(pending.getFirst().timestamp(), decidedLast + 1);
  }

  boolean isDecided() {
    return !decided.isEmpty();
  }

  /// Removes decided batches from the front.
  ///
  /// @param limit their timestamps are below it; the first one's is
  /// @return the batches, as many as stand in one run
  TimestampedRun take(long limit) {
    TimestampedRun first = decided.getFirst();
    int length = (int) Math.min(first.length(), limit - first.timestamp());
    drop(decided, length);
    return new TimestampedRun(first.seq(), length, first.timestamp());
  }

  /// Drops the first batches of a queue.
  static void drop(ArrayDeque<TimestampedRun> runs, int count) {
    int left = count;
    while (left > 0) {
      TimestampedRun first = runs.removeFirst();
      if (first.length() > left) {
        runs.addFirst(first.without(left));
      }
      left -= Math.min(left, first.length());
    }
  }

  void check() {
    Invariant.check(
        decidedNext <= proposedNext && proposedNext <= arrivedNext, "what is decided was proposed, and that has come");
    long at = decidedNext;
    for (TimestampedRun run : pending) {
      Invariant.check(run.seq() == at, "what is proposed and not decided is pending, in its order");
      at = run.end();
    }
    Invariant.check(at == proposedNext, "all that is proposed and not decided is pending");
    long last = 0;
    for (TimestampedRun run : decided) {
      Invariant.check(run.timestamp() > last, "a sender's decided timestamps rise");
      last = run.last();
    }
    Invariant.check(
        decided.isEmpty() || (last == decidedLast && decided.getLast().end() == decidedNext),
        "the last decision is the last one that waits for its place");
  }

  /// How many batches have no proposal.
  long unproposed() {
    return arrivedNext - proposedNext;
  }

  long decidedLast() {
    return decidedLast;
  }
}
