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
/// @param terms    on which it takes part
/// @param speaks   which versions of the protocol it can speak
/// @param lineage  the history that it founds or was in, or null
/// @param primary  the history's first primary view, or the last one that was known; or null
/// @param restored what stable storage had kept, or null
public record InitialState(
    View view,
    MemberIdentity identity,
    Terms terms,
    SpokenVersions speaks,
    @Nullable Lineage lineage,
    @Nullable View primary,
    @Nullable PersistentState restored) {
  /// Where a member starts that knows no history, or comes back: from stable storage, or in the same life.
  ///
  /// @param identity as whom it counts
  /// @param terms    on which it takes part
  /// @param speaks   which versions of the protocol it can speak
  /// @param restored what is known of an earlier life, or of an earlier membership of this one, when that knew a
  ///                 history; or null
  /// @return a view of its own
  public static InitialState joining(
      MemberIdentity identity, Terms terms, SpokenVersions speaks, @Nullable PersistentState restored) {
    MemberId self = identity.self();
    int voters = terms.observer() ? 0 : 1;
    if (restored != null) {
      var id = new ViewId(restored.promised().epoch() + 1, self.incarnation());
      View last = restored.primary();
      var later = new View(id, List.of(self), voters, false, List.of(), last == null ? 0 : last.version());
      return new InitialState(later, identity, terms, speaks, restored.lineage(), last, restored);
    }
    var first = new View(new ViewId(0, self.incarnation()), List.of(self), voters, false, List.of());
    return new InitialState(first, identity, terms, speaks, null, null, null);
  }

  /// Where a founder starts. If others have to come first, its first primary view has no version: they may have only an
  /// older one than it has.
  ///
  /// @param identity as whom it counts
  /// @param terms    on which it takes part
  /// @param speaks   which versions of the protocol it can speak
  /// @param founded  the time of day, in microseconds since 1970
  /// @param founding who founds the group with it
  /// @return a view of its own
  public static InitialState founding(
      MemberIdentity identity, Terms terms, SpokenVersions speaks, long founded, Founding founding) {
    MemberId self = identity.self();
    List<MemberId> alone = List.of(self);
    boolean joint = founding.isJoint();
    ViewId birth = joint ? founding.zero().id() : new ViewId(1, self.incarnation());
    var lineage = new Lineage(birth, founded, terms.group());
    if (joint) {
      var apart = new View(new ViewId(1, self.incarnation()), alone, false, List.of());
      return new InitialState(apart, identity, terms, speaks, lineage, founding.zero(), null);
    }
    if (lineage.electorate().allows(alone)) {
      var first = new View(birth, alone, 1, true, List.of(), speaks.most());
      return new InitialState(first, identity, terms, speaks, lineage, first, null);
    }
    var primary = new View(birth, alone, true, List.of());
    var second = new View(new ViewId(2, self.incarnation()), alone, false, List.of(birth));
    return new InitialState(second, identity, terms, speaks, lineage, primary, null);
  }
}
