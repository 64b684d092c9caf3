package org.tutti.engine;

import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;

/// On which terms a member takes part in a group.
///
/// @param group    what its founder decides
/// @param member   what it decides for itself
/// @param observer whether it only observes: it gets everything and may multicast, but counts in no quorum, orders
///                 nothing, gives no state, keeps nothing, and nobody waits for it
public record Terms(GroupConfig group, MemberConfig member, boolean observer) {
  /// Those of a voter.
  ///
  /// @param group  what the founder decides
  /// @param member what the member decides for itself
  /// @return the terms
  public static Terms voter(GroupConfig group, MemberConfig member) {
    return new Terms(group, member, false);
  }

  /// What the member keeps in stable storage.
  ///
  /// @return what the group's members do, but nothing for an observer
  public Durability durability() {
    return observer ? Durability.NONE : group.durability();
  }
}
