package org.tutti.sim.check;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// The primary views form one chain: in each change a quorum of the predecessor's voters took part, that is, more than
/// half of them, or exactly half with the most senior one (B3, B4). So no view has two primary successors.
///
/// A life that was restarted from stable storage takes part for the lives before it.
///
/// Who leaves takes part in the change by which it leaves, although the new view does not list it. Where a view was
/// agreed that nobody installs any more, because all its members had gone on meanwhile, the chain leads over it unseen.
public record PrimaryUniqueness() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    var leaving = new TreeSet<MemberId>();
    var unseen = new TreeSet<ViewId>();
    for (Happening happening : history.happenings()) {
      if (happening instanceof Happening.Leaving) {
        leaving.add(history.members().get(happening.member()));
      } else if (happening instanceof Happening.Announced(_, _, ViewId id) && !stays.byView().containsKey(id)) {
        unseen.add(id);
      }
    }
    var lives = new Lives(history);
    List<View> chain = stays.primaries();
    for (int i = 1; i < chain.size(); i++) {
      View view = chain.get(i);
      View before = chain.get(i - 1);
      boolean quorum = isQuorum(member -> takesPart(member, view, leaving, lives), before);
      if (!quorum && unseen.subSet(before.id(), view.id()).isEmpty()) {
        report.accept(view + " follows " + before + " without a quorum of it");
      }
    }
  }

  /// Whoever was restarted from what a member had kept takes part for it.
  private static boolean takesPart(MemberId member, View view, Set<MemberId> leaving, Lives lives) {
    return Stream.concat(view.members().stream(), leaving.stream())
        .anyMatch(other -> lives.isLaterLifeOf(other, member));
  }

  /// Whether some members are enough of a view to go on from it.
  ///
  /// @param takesPart tells the members
  /// @param view      the primary view to go on from
  /// @return whether they are more than half of its voters, or half with the most senior one
  public static boolean isQuorum(Predicate<MemberId> takesPart, View view) {
    List<MemberId> voters = view.members().subList(0, view.voters());
    long common = voters.stream().filter(takesPart).count();
    return 2 * common > voters.size() || 2 * common == voters.size() && takesPart.test(view.senior());
  }
}
