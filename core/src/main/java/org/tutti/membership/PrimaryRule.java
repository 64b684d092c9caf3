package org.tutti.membership;

import java.util.function.IntPredicate;
import org.tutti.View;

/// Decides which members of a primary view may carry the history on (B3).
///
/// Any two quorums of one view share a member: uniform delivery waits for a quorum to hold a message, the next primary
/// view is formed by a quorum, so what was delivered is known there.
///
/// Observers do not count: a quorum is made of voters. Only in a view that has none, which is never primary, all
/// members count for what they order among themselves.
@FunctionalInterface
public interface PrimaryRule {
  /// Whether some members of a primary view are a quorum of it.
  ///
  /// @param primary the view
  /// @param ranks   tells whether the member of a rank is among them
  /// @return whether they are
  boolean isQuorum(View primary, IntPredicate ranks);

  /// How many ranks of a view count.
  ///
  /// @param view the view
  /// @return the number of voters, whose ranks come first; of a view without any, that of all members
  static int voting(View view) {
    return view.voters() == 0 ? view.size() : view.voters();
  }
}
