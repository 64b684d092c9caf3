package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.user.GroupUser;

/// A history cut into each member's time in each view, and the chain of primary views.
public final class ViewIntervals {
  private static final Comparator<View> BY_ID = Comparator.comparing(View::id);

  /// What a member's next event of its history is after a moment.
  private enum Following {
    NOTHING,
    BEGIN,
    DELIVERY
  }

  /// How far a member is while the history is walked through.
  private static final class Walk {
    @Nullable ViewInterval last;
    boolean joins;
    boolean waiting = true;
    long next = -1;
    long begunAt = -1;
    boolean leaving;
  }

  private final List<ViewInterval> all = new ArrayList<>();
  private final SortedMap<ViewId, List<ViewInterval>> byView = new TreeMap<>();
  private final List<View> primaries = new ArrayList<>(); // by id, which is the order of their succession
  private final Set<ViewId> installed = new TreeSet<>(); // by anyone
  private final List<Walk> walks;
  private final boolean forced; // the first of them follows one that nobody installed

  /// Cuts a history.
  ///
  /// @param history a run that is over
  public ViewIntervals(History history) {
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Installed(_, _, View view) && installed.add(view.id()) && view.primary()) {
        primaries.add(view);
      }
    }
    ViewId lineage = history.lineage();
    forced = lineage != null;
    if (lineage != null) {
      primaries.removeIf(view -> view.id().compareTo(lineage) < 0);
    }
    primaries.sort(BY_ID);
    Following[] following = following(history);
    walks = history.forEachMember(Walk::new);
    int at = 0;
    for (HistoryEvent event : history.events()) {
      Walk walk = walks.get(event.member());
      switch (event) {
        case HistoryEvent.Entered entered -> enter(entered, walk);
        case HistoryEvent.Installed installed -> arrive(installed, walk, following[at]);
        case HistoryEvent.Begun begun -> {
          walk.waiting = false;
          walk.begunAt = begun.nanos();
          walk.next = begun.index();
        }
        case HistoryEvent.Leaving leaving -> {
          walk.leaving = true;
          if (walk.last != null) {
            walk.last.leave(leaving.nanos());
          }
        }
        case HistoryEvent.Branched branched when walk.last != null -> walk.last.deliverInBranch(branched);
        case HistoryEvent.Early early when walk.last != null -> walk.last.deliverEarly(early.batch());
        case HistoryEvent.Delivered delivered -> {
          walk.next = delivered.index() + 1;
          if (walk.last != null) {
            walk.last.deliver(delivered);
          }
        }
        case HistoryEvent.SubsetDelivered subset when walk.last != null -> walk.last.deliver(SubsetId.of(subset));
        case HistoryEvent.SubsetDecided(int member, _, long number, GroupUser.SubsetOutcome fate)
            when walk.last != null && fate == GroupUser.SubsetOutcome.HELD ->
            walk.last.held(new SubsetId(member, number));
        default -> {}
      }
      at++;
    }
  }

  private static void enter(HistoryEvent.Entered entered, Walk walk) {
    walk.joins = !entered.creates();
    if (entered.creates()) { // it has the history from its beginning, wherever the first primary view finds it
      walk.waiting = false;
      walk.next = 0;
    }
  }

  /// What follows each event at the same member.
  private static Following[] following(History history) {
    var following = new Following[history.events().size()];
    var next = new Following[history.members().size()];
    Arrays.fill(next, Following.NOTHING);
    for (int at = following.length - 1; at >= 0; at--) {
      HistoryEvent event = history.events().get(at);
      following[at] = next[event.member()];
      if (event instanceof HistoryEvent.Begun) {
        next[event.member()] = Following.BEGIN;
      } else if (event instanceof HistoryEvent.Delivered) {
        next[event.member()] = Following.DELIVERY;
      }
    }
    return following;
  }

  private void arrive(HistoryEvent.Installed installed, Walk walk, Following following) {
    View view = installed.view();
    if (isFirst(view) && isFounder(view, walk, following)) {
      walk.waiting = false;
      walk.next = 0;
    } else if (view.primary()) {
      // Who missed nothing delivers on; for who did, deliveries begin anew. Who does neither missed nothing if it comes
      // straight from the primary view before.
      boolean straight = !walk.waiting && walk.last != null && follows(walk.last.view(), view);
      walk.waiting = following == Following.BEGIN || following == Following.NOTHING && !straight;
    }
    boolean late = walk.begunAt == installed.nanos();
    var interval = new ViewInterval(installed.member(), view, walk.waiting, late, walk.next);
    if (walk.last != null) {
      walk.last.follow(interval, installed.nanos());
    }
    if (walk.leaving) {
      interval.leave(installed.nanos());
    }
    walk.last = interval;
    all.add(interval);
    byView.computeIfAbsent(view.id(), _ -> new ArrayList<>()).add(interval);
  }

  private boolean isFirst(View view) {
    return !forced && view.primary() && primaries.getFirst().id().equals(view.id());
  }

  /// Whether a member of the first view has the history from its beginning. A founder that was started again, and has
  /// kept nothing, is one of those who found the group as well: it delivers without having been given anything.
  private boolean isFounder(View view, Walk walk, Following following) {
    return following == Following.DELIVERY || !walk.joins && !isAfterUnseen(view);
  }

  /// Whether a view was decided before it that nobody installed. Founders that were not in that one may be waiting in
  /// the first view that anyone installed.
  private boolean isAfterUnseen(View view) {
    return !installed.containsAll(view.predecessors());
  }

  private boolean follows(View earlier, View later) {
    int at = placeOf(later);
    return at > 0 && primaries.get(at - 1).id().equals(earlier.id());
  }

  /// Where a view stands among the primary ones.
  ///
  /// @param view the view
  /// @return its index in [#primaries]; below 0 when it is none of them
  int placeOf(View view) {
    return Collections.binarySearch(primaries, view, BY_ID);
  }

  /// All stays, in the order of installation.
  ///
  /// @return a view of the list
  public List<ViewInterval> all() {
    return Collections.unmodifiableList(all);
  }

  /// All stays by view, the views in the order of their ids.
  ///
  /// @return a view of the map
  public SortedMap<ViewId, List<ViewInterval>> byView() {
    return Collections.unmodifiableSortedMap(byView);
  }

  /// The views of these stays.
  ///
  /// @return by id, a copy
  SortedMap<ViewId, View> views() {
    SortedMap<ViewId, View> views = new TreeMap<>();
    byView.forEach((id, stays) -> views.put(id, stays.getFirst().view()));
    return views;
  }

  /// The primary views that anyone installed, in the order of their ids.
  ///
  /// @return a view of the list
  public List<View> primaries() {
    return Collections.unmodifiableList(primaries);
  }

  /// How far a member came.
  ///
  /// @param member its ordinal
  /// @return the index of its next delivery, or -1 when its deliveries never began
  long next(int member) {
    Walk walk = walks.get(member);
    return walk.waiting ? -1 : walk.next;
  }

  /// Where the history of a primary view begins, as its members have it.
  ///
  /// @param view the view
  /// @return the index, or -1 when nobody who was not waiting installed it
  long startOf(View view) {
    for (ViewInterval interval : byView.getOrDefault(view.id(), List.of())) {
      if (!interval.isWaiting()) {
        return interval.start();
      }
    }
    return -1;
  }
}
