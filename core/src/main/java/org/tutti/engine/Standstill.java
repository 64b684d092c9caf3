package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Status.Cause;
import org.tutti.Status.Wait;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.history.ViewHistory;

/// Who holds this member up, although nobody is suspected: looked at now and then, told when it has lasted for a time.
///
/// | there is | and all the time since the earlier look | so this member waits for |
/// | --- | --- | --- |
/// | a view change | it has not come to its end | those who owe it a word |
/// | a batch without a place | no place has become known | who decides places |
/// | a place without its batch | the same place is the next one | the batch's sender |
/// | a multicast to some members | the same words on it are missing | those who owe them |
/// | something that a member does not hold | it has said that it holds no more | that member |
/// | something that an application has not taken | it has taken nothing | that application |
///
/// A member that has not moved from one look to the next has stood still since the earlier one.
final class Standstill {
  private final long patienceNanos;
  private final Counters counters;

  private ViewHistory.@Nullable Progress last; // at the last look
  private long[] heldSince = {}; // when that was so at first, by rank
  private long[] consumedSince = {};
  private long placedSince;
  private long subsetSince;
  private boolean changing; // the view
  private long changingSince;
  private List<Wait> found = List.of();
  private List<Wait> slow = List.of(); // however shortly

  /// Begins to look.
  ///
  /// @param patience for how long nothing happens before that is told
  /// @param counters count what begins
  Standstill(Duration patience, Counters counters) {
    this.patienceNanos = patience.toNanos();
    this.counters = counters;
  }

  /// Looks.
  ///
  /// @param now      the time
  /// @param progress of the history that goes on, or null
  /// @param owing    who owes a view change a word; null when there is none
  /// @return who is waited for
  List<Wait> look(long now, ViewHistory.@Nullable Progress progress, @Nullable List<MemberId> owing) {
    List<Wait> before = found;
    found = new ArrayList<>();
    slow = new ArrayList<>();
    if (!changing) {
      changingSince = now;
    }
    changing = owing != null;
    if (owing != null && !owing.isEmpty()) {
      add(Cause.VIEW_CHANGE, owing, now - changingSince, 0, before);
    }
    ViewHistory.Progress earlier = last;
    last = progress;
    if (progress == null) {
      return found;
    }
    if (earlier == null || !earlier.view().id().equals(progress.view().id())) {
      heldSince = new long[progress.held().length];
      consumedSince = new long[progress.held().length];
      Arrays.fill(heldSince, now);
      Arrays.fill(consumedSince, now);
      placedSince = now;
      subsetSince = now;
    } else {
      lookAtPlaces(now, earlier, progress, before);
      lookAtSubset(now, earlier, progress, before);
      for (int rank = 0; rank < progress.held().length; rank++) {
        if (rank < progress.view().voting() || rank == progress.self()) { // nobody waits for another observer
          lookAtMember(now, rank, earlier, progress, before);
        }
      }
    }
    return found;
  }

  /// A view was installed: what was waited for in the one before is over, a view change above all.
  void newView() {
    last = null;
    changing = false;
    found = List.of();
    slow = List.of();
  }

  /// Who is waited for, as it was found at the last look.
  ///
  /// @return nobody since a new view
  List<Wait> found() {
    return found;
  }

  /// Whose application has taken nothing, or who has confirmed nothing, since the look before the last one.
  ///
  /// @return also those for whom it has not lasted
  List<Wait> slow() {
    return slow;
  }

  private void lookAtPlaces(long now, ViewHistory.Progress earlier, ViewHistory.Progress here, List<Wait> before) {
    boolean misses = here.knownNext() > here.heldNext();
    boolean missed = earlier.knownNext() > earlier.heldNext();
    boolean still = misses ? missed : here.unplaced() && earlier.unplaced() && !missed;
    if (!still || earlier.heldNext() != here.heldNext()) {
      placedSince = now;
    } else if (misses) {
      add(Cause.MESSAGE, List.of(here.view().members().get(here.next())), now - placedSince, 0, before);
    } else {
      List<MemberId> deciding = new ArrayList<>(here.view().members());
      deciding.remove(here.self());
      deciding.removeIf(here.view()::isObserver);
      boolean one = here.ordering() == Ordering.SEQUENCER && here.self() != 0;
      add(Cause.ORDER, one ? deciding.subList(0, 1) : deciding, now - placedSince, 0, before);
    }
  }

  private void lookAtSubset(long now, ViewHistory.Progress earlier, ViewHistory.Progress here, List<Wait> before) {
    if (here.subset() == null || !here.subset().equals(earlier.subset())) {
      subsetSince = now;
    } else {
      List<MemberId> owing = here.subset().owing().stream().map(here.view().members()::get).toList();
      add(here.subset().placed() ? Cause.ACKNOWLEDGEMENT : Cause.ORDER, owing, now - subsetSince, 0, before);
    }
  }

  private void lookAtMember(
      long now, int rank, ViewHistory.Progress earlier, ViewHistory.Progress here, List<Wait> before) {
    boolean behind = here.held()[rank] < here.heldNext() && rank != here.self();
    if (!behind || here.held()[rank] != earlier.held()[rank]) {
      heldSince[rank] = now;
    }
    long taken = here.consumed()[rank];
    if (taken != earlier.consumed()[rank] || taken >= Math.min(here.held()[rank], here.delivered())) {
      consumedSince[rank] = now;
    }
    List<MemberId> member = List.of(here.view().members().get(rank));
    long bytes = here.bytes().applyAsLong(taken);
    long unconsumed = now - consumedSince[rank];
    long unconfirmed = now - heldSince[rank];
    if (unconsumed > 0 || unconfirmed > 0) {
      Cause cause = unconsumed >= unconfirmed ? Cause.CONSUMPTION : Cause.ACKNOWLEDGEMENT;
      slow.add(new Wait(cause, member, 1, Duration.ofNanos(Math.max(unconsumed, unconfirmed)), bytes));
    }
    if (now - consumedSince[rank] >= patienceNanos) {
      add(Cause.CONSUMPTION, member, now - consumedSince[rank], bytes, before);
    } else {
      add(Cause.ACKNOWLEDGEMENT, member, now - heldSince[rank], bytes, before);
    }
  }

  /// Tells of somebody when it has lasted, and counts when that was not so at the last look.
  private void add(Cause cause, List<MemberId> members, long still, long bytes, List<Wait> before) {
    if (still < patienceNanos) {
      return;
    }
    found.add(new Wait(cause, members, members.size() > 1 ? 0 : 1, Duration.ofNanos(still), bytes));
    if (before.stream().noneMatch(wait -> wait.cause() == cause && wait.members().equals(members))) {
      counters.count(counter(cause));
    }
  }

  private static Count counter(Cause cause) {
    return switch (cause) {
      case VIEW_CHANGE -> Count.STANDSTILL_OF_VIEW_CHANGE;
      case ORDER -> Count.STANDSTILL_OF_ORDER;
      case MESSAGE -> Count.STANDSTILL_OF_MESSAGE;
      case ACKNOWLEDGEMENT -> Count.STANDSTILL_OF_ACKNOWLEDGEMENT;
      case CONSUMPTION -> Count.STANDSTILL_OF_CONSUMPTION;
      case QUORUM, STATE, STORAGE -> Count.STANDSTILL_OF_OTHER;
    };
  }
}
