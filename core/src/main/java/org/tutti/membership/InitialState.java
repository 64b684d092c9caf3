package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// Where a member starts: in a view of its own. A founder's is the first primary view of a new history, unless others
/// of the configured set have to come first: then it is not primary, and follows one that nobody was in. So does that
/// of a member that founds a group together with others ([Founding]).
///
/// A member that is restarted from stable storage begins as if it had been cut off from everybody at the end of its
/// earlier life: it knows what that one knew, and its view is later than all that were promised.
///
/// An observer's first view has no voter; by that the others know it for one. One that is to observe by the rule of the
/// group ([Flush]) and does not know the group yet begins like a voter.
///
/// @param view     the first view
/// @param identity as whom it counts
/// @param lineage  the history that it founds or was in, or null
/// @param primary  the history's first primary view, or the last one that was known; or null
/// @param restored what stable storage had kept, or null
record InitialState(
    View view,
    MemberIdentity identity,
    @Nullable Lineage lineage,
    @Nullable View primary,
    @Nullable PersistentState restored) {
  static InitialState of(MemberId self, boolean founder, ViewHost host) {
    List<MemberId> alone = List.of(self);
    PersistentState restored = host.restored();
    if (restored != null) {
      var later = new View(new ViewId(restored.promised().epoch() + 1, self.incarnation()), alone, false, List.of());
      return new InitialState(later, host.identity(), restored.lineage(), restored.primary(), restored);
    }
    var first = new View(new ViewId(0, self.incarnation()), alone, host.isObserver() ? 0 : 1, false, List.of());
    if (!founder) {
      return new InitialState(first, host.identity(), null, null, null);
    }
    boolean joint = host.founding().isJoint();
    ViewId birth = joint ? host.founding().zero().id() : new ViewId(1, self.incarnation());
    var lineage = new Lineage(birth, host.founded(), host.group());
    if (joint) {
      var apart = new View(new ViewId(1, self.incarnation()), alone, false, List.of());
      return new InitialState(apart, host.identity(), lineage, host.founding().zero(), null);
    }
    var primary = new View(birth, alone, true, List.of());
    if (lineage.electorate().allows(alone)) {
      return new InitialState(primary, host.identity(), lineage, primary, null);
    }
    var second = new View(new ViewId(2, self.incarnation()), alone, false, List.of(birth));
    return new InitialState(second, host.identity(), lineage, primary, null);
  }
}
