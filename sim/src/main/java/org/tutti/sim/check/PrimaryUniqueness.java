package org.tutti.sim.check;

import java.util.ArrayDeque;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;

/// The primary views form one chain: in each change a quorum of those who decide about the predecessor's successor took
/// part ([Deciders]). By dynamic linear voting that is more than half of its voters, or exactly half with the
/// most senior one; by a static majority lives of more than half of the electorate's names, each the last one of its
/// name that was in a primary view. And it says itself that it continues that view. So no view has two primary
/// successors.
///
/// In a lineage that was forced, a view that was forced follows whatever is before it.
///
/// A life that was restarted from stable storage takes part for the lives before it.
///
/// Who leaves takes part in the change by which it leaves, although the new view does not list it. Where a view was
/// agreed that nobody installs any more, because all its members had gone on meanwhile, the chain leads over it unseen.
public record PrimaryUniqueness() implements Checker {
  @Override
  public boolean isOfLineage() {
    return true;
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    var leaving = new TreeSet<MemberId>();
    var unseen = new TreeSet<ViewId>();
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Leaving) {
        leaving.add(history.members().get(event.member()));
      } else if (event instanceof HistoryEvent.Announced(_, _, ViewId id) && !intervals.byView().containsKey(id)) {
        unseen.add(id);
      }
    }
    var lives = new Restarts(history);
    var deciders = history.deciders();
    var forced = new ArrayDeque<View>();
    history.events().stream()
        .filter(HistoryEvent.Forced.class::isInstance)
        .map(event -> ((HistoryEvent.Forced) event).view())
        .forEach(forced::add);
    for (View view : intervals.primaries()) {
      while (!forced.isEmpty() && forced.getFirst().id().compareTo(view.id()) < 0) {
        deciders.forced(forced.removeFirst());
      }
      View before = deciders.last();
      boolean gap = !(before == null ? unseen.headSet(view.id()) : unseen.subSet(before.id(), view.id())).isEmpty();
      boolean quorum = gap || deciders.areQuorum(member -> takesPart(member, view, leaving, lives));
      if (!quorum) {
        report.accept(view + " follows " + before + " without a quorum of those who decide");
      }
      if (before != null && !gap && !continues(view, before, intervals)) {
        report.accept(view + " comes after " + before + " and does not continue it, but " + view.predecessors());
      }
      deciders.next(view, gap);
    }
  }

  /// Whether a view names the one before it; or one between that nobody has shown: who is the only one that decides
  /// tells nobody else of a view that an earlier life of it had accepted.
  private static boolean continues(View view, View before, ViewIntervals intervals) {
    return view.predecessors().isEmpty()
        || view.predecessors().contains(before.id())
        || view.predecessors().stream()
            .anyMatch(id -> id.compareTo(before.id()) > 0 && !intervals.byView().containsKey(id));
  }

  /// Whoever was restarted from what a member had kept takes part for it.
  private static boolean takesPart(MemberId member, View view, Set<MemberId> leaving, Restarts lives) {
    return Stream.concat(view.members().stream(), leaving.stream())
        .anyMatch(other -> lives.isLaterLifeOf(other, member));
  }
}
