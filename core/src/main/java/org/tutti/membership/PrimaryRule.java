package org.tutti.membership;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.tutti.MemberId;
import org.tutti.PrimaryViews;
import org.tutti.View;

/// Decides who may carry the history of a primary view on.
///
/// Certain lives *decide* about what follows a primary view, and any two quorums of them share one: uniform delivery
/// waits for a quorum to hold a message, the next primary view is formed by a quorum, so what was delivered is known
/// there. Who decides are voters of the view, and with a static majority also *absentees*: lives that were in an
/// earlier primary view and have kept the vote of their name. Which these are is agreed with the view.
///
/// Observers do not count: a quorum is made of voters. Only in a view that has none, which is never primary, all
/// members count for what they order among themselves.
public interface PrimaryRule {
  /// The rule of a group.
  ///
  /// @param choice     what its founder chose
  /// @param electorate the configured set
  /// @return the rule
  static PrimaryRule of(PrimaryViews choice, Electorate electorate) {
    return choice == PrimaryViews.STATIC_MAJORITY ? new StaticMajority(electorate) : new DynamicLinearVoting();
  }

  /// Whether some members of a primary view are a quorum of it.
  ///
  /// @param primary the view
  /// @param ranks   tells whether the member of a rank is among them
  /// @return whether they are
  boolean isQuorum(View primary, IntPredicate ranks);

  /// Who decides about what follows a primary view.
  ///
  /// @param primary   the view
  /// @param absentees its absentees
  /// @return their lives, those in the view first, by seniority
  List<MemberId> deciders(View primary, List<MemberId> absentees);

  /// Whether some lives may agree on what follows a primary view.
  ///
  /// @param primary   the view
  /// @param absentees its absentees
  /// @param here      tells whether one of those who decide is among them
  /// @return whether they are a quorum
  boolean mayGoOn(View primary, List<MemberId> absentees, Predicate<MemberId> here);

  /// Who is absent from a primary view and decides about what follows it.
  ///
  /// @param next   the view
  /// @param last   the primary view before it
  /// @param ofLast the absentees of that one
  /// @return the absentees; the same at everybody who agrees on the views
  List<MemberId> absentees(View next, View last, List<MemberId> ofLast);

  /// The members of a view that count, whose ranks come first.
  ///
  /// @param view the view
  /// @return the voters; of a view without any, all members
  static List<MemberId> voters(View view) {
    return view.members().subList(0, voting(view));
  }

  /// How many ranks of a view count.
  ///
  /// @param view the view
  /// @return the number of voters, whose ranks come first; of a view without any, that of all members
  static int voting(View view) {
    return view.voting();
  }
}
