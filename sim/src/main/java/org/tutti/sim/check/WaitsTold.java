package org.tutti.sim.check;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Status;
import org.tutti.Status.Wait;
import org.tutti.View;

/// Who waits says for whom, at one member. It looks at the member's status and at what happens to it:
///
/// - While one of its multicasts is under way and nothing happens to it for long, its status names somebody.
/// - Whoever is named is in the view that the status tells of, and has not been waited for longer than that view lasts:
///   what was waited for in an earlier one is over. A view change alone may wait for strangers.
public final class WaitsTold {
  private static final long NEVER = Long.MAX_VALUE;
  private static final double CLOCK_RATE_MAX = 1.25; // how much faster than the true time a node's clock may run

  private final String who;
  private final long boundNanos;
  private final List<Violation> found = new ArrayList<>();

  private boolean open; // a multicast is under way
  private boolean told; // that somebody is waited for, or that it needs no telling
  private long since = NEVER; // when there was something to tell that is not told
  private @Nullable View view;
  private long viewSince;

  /// Begins to look at a member.
  ///
  /// @param who   the member
  /// @param bound after how long without any progress somebody must be named
  public WaitsTold(String who, Duration bound) {
    this.who = who;
    this.boundNanos = bound.toNanos();
  }

  /// The member goes on: something was delivered or decided, multicasts to some members too.
  ///
  /// @param now the simulated time
  public void goesOn(long now) {
    look(now);
    begin(now);
  }

  /// It had stood still itself, and runs again.
  ///
  /// @param now the simulated time
  public void resumed(long now) {
    begin(now);
  }

  private void begin(long now) {
    since = open && !told ? now : NEVER;
  }

  /// It has multicasts under way, or no longer.
  ///
  /// @param now      the simulated time
  /// @param underWay whether the fate of one is open
  public void isSending(long now, boolean underWay) {
    if (open != underWay) {
      open = underWay;
      goesOn(now);
    }
  }

  /// It is told how it stands.
  ///
  /// @param now    the simulated time
  /// @param status what it is told
  public void shown(long now, Status status) {
    if (status.view() != null && !status.view().equals(view)) {
      view = status.view();
      viewSince = now;
      goesOn(now);
    }
    for (Wait wait : status.waits()) {
      switch (wait.cause()) {
        case QUORUM, STORAGE, STATE -> {}
        case VIEW_CHANGE -> refuseOld(now, wait);
        case CONSUMPTION, ORDER, MESSAGE, ACKNOWLEDGEMENT -> {
          refuseOld(now, wait);
          if (view != null && !view.members().containsAll(wait.members())) {
            found.add(new Violation("WaitsTold", who + " is in " + view + " and waits for " + wait));
          }
        }
      }
    }
    boolean names = status.closed() != null || status.phase() == Status.Phase.JOINING || !status.waits().isEmpty();
    if (names != told) {
      look(now);
      told = names;
      begin(now);
    }
  }

  private void refuseOld(long now, Wait wait) {
    if (wait.since().toNanos() > (now - viewSince) * CLOCK_RATE_MAX) {
      found.add(
          new Violation(
              "WaitsTold",
              who + " is in " + view + " for " + Duration.ofNanos(now - viewSince) + " and tells " + wait));
    }
  }

  /// Looks whether something is to be told.
  ///
  /// @param now the simulated time
  public void look(long now) {
    if (since != NEVER && now - since > boundNanos) {
      found.add(
          new Violation(
              "WaitsTold",
              who
                  + " has multicasts under way, nothing went on for "
                  + Duration.ofNanos(now - since)
                  + ", and it names nobody for whom it waits"));
      since = now;
    }
  }

  /// What did not hold.
  ///
  /// @return a view of the list
  public List<Violation> violations() {
    return List.copyOf(found);
  }
}
