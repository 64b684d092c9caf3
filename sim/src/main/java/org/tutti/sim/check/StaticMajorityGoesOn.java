package org.tutti.sim.check;

import java.util.List;
import org.tutti.MemberId;
import org.tutti.PrimaryViews;

/// With a static majority the group is primary at the end of a run, when those who live and reach each other are enough
/// of the electorate and somebody among them has the history: whoever has crashed need not come back.
public final class StaticMajorityGoesOn {
  private StaticMajorityGoesOn() {}

  /// Whether the living must be in a primary view.
  ///
  /// @param history  of the run
  /// @param deciders at the latest primary view
  /// @param living   who is there
  /// @param holders  those of them that have the history of that view, and its state
  /// @return whether nobody else is needed
  public static boolean isDue(History history, Deciders deciders, List<MemberId> living, List<MemberId> holders) {
    if (history.primaryViews() != PrimaryViews.STATIC_MAJORITY || deciders.last() == null || holders.isEmpty()) {
      return false;
    }
    var lives = new Restarts(history);
    return deciders.areQuorum(decider -> living.stream().anyMatch(life -> lives.isLaterLifeOf(life, decider)))
        && 2 * living.stream().map(MemberId::name).filter(history.electorate()::contains).distinct().count()
            > history.electorate().size();
  }
}
