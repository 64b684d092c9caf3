package org.tutti.membership;

import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// The group around a [ViewAgreement]: what the agreement asks of it and tells it.
public interface ViewHost {
  /// Stop sending, acknowledging and delivering in the current view.
  void wedge();

  /// What this member keeps of the last primary view that it installed.
  ///
  /// @return the history, the same object always
  KeptHistory kept();

  /// What this member has of its view's history, when the view is a branch.
  ///
  /// @return the branch, the same object always
  KeptHistory branch();

  /// Whether this member has the state.
  ///
  /// @return whether it does
  boolean synced();

  /// What this member founds its group with, or, when it joins, says of the group.
  ///
  /// @return always the same
  GroupConfig group();

  /// Whether this member takes the application's state, where there is one.
  ///
  /// @return always the same
  default boolean takesState() {
    return true;
  }

  /// Whether this member asks to observe.
  ///
  /// @return whether it does
  default boolean isObserver() {
    return false;
  }

  /// Who founds the group with this member.
  ///
  /// @return the expected members, or [Founding#ALONE]
  default Founding founding() {
    return Founding.ALONE;
  }

  /// When this member founded its group, if it did.
  ///
  /// @return the time of day, in microseconds since 1970; 0 when it joins
  long founded();

  /// As whom this member counts in views.
  ///
  /// @return always the same
  MemberIdentity identity();

  /// What stable storage had kept of an earlier life, when that knew a history.
  ///
  /// @return what it knew, or null for a member that begins anew
  @Nullable PersistentState restored();

  /// This member's logical clock.
  ///
  /// @return the highest stamp that it has given or seen
  long clock();

  /// Where the state is coming from.
  ///
  /// @param view the view of this member
  /// @return the transfer that may go on in the next view, or null
  Knowledge.@Nullable Transfer transfer(ViewId view);

  /// Whether others get the state from this member, so that it should not leave yet.
  ///
  /// @return whether they do
  boolean isNeeded();

  /// Whether a member is believed to have crashed.
  ///
  /// @param member the member
  /// @return whether it is suspected
  boolean suspects(MemberId member);

  /// Whether a member would be suspected if others had not heard it.
  ///
  /// @param member the member
  /// @return whether it is silent here and not suspected
  boolean spares(MemberId member);

  /// Delivers the cut that is for this member and installs the view.
  ///
  /// @param before   the view that is left
  /// @param proposal what was agreed; this member is in its view
  void install(View before, Proposal proposal);

  /// Takes over the history of a primary view whose agreement was finished only after this member had gone to a
  /// later view that is not primary; the view itself is not shown to the application any more, as ids rise.
  ///
  /// @param proposal what was agreed; this member is in its view
  void catchUp(Proposal proposal);

  /// The membership has ended as this member wished.
  ///
  /// @param proposal what was agreed, or null when nobody else was there
  void left(@Nullable Proposal proposal);

  /// The set of members that matter has changed.
  void interestChanged();
}
