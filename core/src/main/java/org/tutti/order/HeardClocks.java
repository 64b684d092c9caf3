package org.tutti.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;

/// How far each member of a view is heard: a stamp at or below which no batch of it comes any more.
///
/// A member is heard by its batches, whose stamps rise, and by its word: "I have sent all batches up to this stamp".
/// The word may overtake batches that go from member to member, or wait for the line. So it says the number behind the
/// last of these batches, and counts when all before are here. Of several that are too early the last one is enough:
/// both of its numbers are the highest.
public final class HeardClocks {
  /// A member's word.
  ///
  /// @param clock    all its batches with stamps up to here have been sent
  /// @param sentNext the number behind the last of them; 0 without any
  record Word(long clock, long sentNext) {}

  private final long[] clocks; // by rank
  private final long[] arrivedNext; // by rank, the number behind the last batch that is here
  private final @Nullable Word[] ahead; // by rank: the last one that came before batches that it counts

  /// Begins a view.
  ///
  /// @param members how many there are
  /// @param from    every member's clock is at least here
  public HeardClocks(int members, long from) {
    this.clocks = new long[members];
    this.arrivedNext = new long[members];
    this.ahead = new Word[members];
    Arrays.fill(clocks, from);
  }

  /// A batch is here, or this member's own has gone.
  ///
  /// @param rank  its sender's rank
  /// @param seq   its number
  /// @param stamp its stamp
  public void arrived(int rank, long seq, long stamp) {
    clocks[rank] = Math.max(clocks[rank], stamp);
    arrivedNext[rank] = seq + 1;
    Word word = ahead[rank];
    if (word != null) {
      said(rank, word.clock, word.sentNext);
    }
  }

  /// A member has given its word.
  ///
  /// @param rank     its rank
  /// @param clock    all its batches with stamps up to here have been sent
  /// @param sentNext the number behind the last of them; 0 without any
  public void said(int rank, long clock, long sentNext) {
    if (arrivedNext[rank] < sentNext) {
      ahead[rank] = new Word(clock, sentNext);
    } else {
      ahead[rank] = null;
      clocks[rank] = Math.max(clocks[rank], clock);
    }
  }

  /// How far a member is heard.
  ///
  /// @param rank its rank
  /// @return the stamp
  public long of(int rank) {
    return clocks[rank];
  }

  /// How many batches of a member are here.
  ///
  /// @param rank its rank
  /// @return the number behind the last one; 0 without any
  public long arrivedNext(int rank) {
    return arrivedNext[rank];
  }

  /// Fails when an invariant does not hold.
  public void check() {
    for (int rank = 0; rank < clocks.length; rank++) {
      Word early = ahead[rank];
      Invariant.check(early == null || early.sentNext > arrivedNext[rank], "a word waits only for batches");
    }
  }
}
