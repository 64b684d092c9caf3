package org.tutti.membership;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;

/// As whom a member counts in views: as itself, and, when it was restarted from stable storage, as the earlier lives of
/// its name that left it what they knew. A view lists one life of a name at most, so it counts once.
///
/// @param self    this life
/// @param earlier those that it stands for, oldest first
public record MemberIdentity(MemberId self, List<MemberId> earlier) {
  /// Copies the list.
  public MemberIdentity {
    earlier = List.copyOf(earlier);
  }

  /// The life by which a view lists this member.
  ///
  /// @param view any view
  /// @return this life, or an earlier one, or null when it lists none
  public @Nullable MemberId in(View view) {
    if (view.contains(self)) {
      return self;
    }
    for (MemberId life : earlier) {
      if (view.contains(life)) {
        return life;
      }
    }
    return null;
  }

  /// Whether this member is in a view, as itself or as an earlier life.
  ///
  /// @param view any view
  /// @return whether it is
  public boolean isIn(View view) {
    return in(view) != null;
  }

  /// From whom this member gets its state by an agreement.
  ///
  /// @param proposal what was agreed
  /// @return the transfer, or null when it has the state, or is not in the view
  public Knowledge.@Nullable Transfer transferBy(Proposal proposal) {
    MemberId listed = in(proposal.view());
    return listed == null ? null : proposal.transferTo(listed);
  }
}
