package org.tutti.membership;

import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.tutti.View;

/// Dynamic linear voting: a strict majority of the previous primary view, or exactly half of it with its most senior
/// member (Jajodia and Mutchler, 1990). The default: an elastic group needs no configured set.
public final class DynamicLinearVoting implements PrimaryRule {
  /// Makes the rule; it has no state.
  public DynamicLinearVoting() {}

  @Override
  public boolean isQuorum(View primary, IntPredicate ranks) {
    long votes = IntStream.range(0, primary.size()).filter(ranks).count();
    return 2 * votes > primary.size() || (2 * votes == primary.size() && ranks.test(0));
  }
}
