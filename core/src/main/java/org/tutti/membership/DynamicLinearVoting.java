package org.tutti.membership;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.tutti.MemberId;
import org.tutti.View;

/// Dynamic linear voting: a strict majority of the previous primary view's voters, or exactly half of them with the
/// most senior one (Jajodia and Mutchler, 1990). The default: an elastic group needs no configured set.
public final class DynamicLinearVoting implements PrimaryRule {
  /// Makes the rule; it has no state.
  public DynamicLinearVoting() {}

  @Override
  public boolean isQuorum(View primary, IntPredicate ranks) {
    int voting = PrimaryRule.voting(primary);
    int votes = 0;
    for (int rank = 0; rank < voting; rank++) {
      votes += ranks.test(rank) ? 1 : 0;
    }
    return 2 * votes > voting || (2 * votes == voting && ranks.test(0));
  }

  @Override
  public List<MemberId> deciders(View primary, List<MemberId> absentees) {
    return PrimaryRule.voters(primary);
  }

  @Override
  public boolean mayGoOn(View primary, List<MemberId> absentees, Predicate<MemberId> here) {
    return isQuorum(primary, rank -> here.test(primary.members().get(rank)));
  }

  @Override
  public List<MemberId> absentees(View next, View last, List<MemberId> ofLast) {
    return List.of();
  }
}
