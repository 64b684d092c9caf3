package org.tutti.membership;

import java.util.function.IntPredicate;
import org.tutti.View;

/// Decides which members of a primary view may carry the history on (B3).
///
/// Any two quorums of one view share a member: uniform delivery waits for a quorum to hold a message, the next primary
/// view is formed by a quorum, so what was delivered is known there.
@FunctionalInterface
public interface PrimaryRule {
  /// Whether some members of a primary view are a quorum of it.
  ///
  /// @param primary the view
  /// @param ranks   tells whether the member of a rank is among them
  /// @return whether they are
  boolean isQuorum(View primary, IntPredicate ranks);
}
