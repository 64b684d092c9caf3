package org.tutti.sim.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.sim.check.HistoryEvent.Decided;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Released;
import org.tutti.sim.check.HistoryEvent.Submitted;

/// Room in the window is given back for whole multicasts in their order, each once, and only for those that are
/// delivered and that the application of every member of the view has consumed, unless it is waiting for its state or
/// observes.
///
/// @param overhead what a message counts beyond its length
public record WindowRespected(int overhead) implements Checker {
  private static final int AWAY = -1;

  private static final class Member {
    final List<Integer> lengths = new ArrayList<>(); // of multicasts that are not released yet, and not in branches
    final Deque<Integer> inBranch = new ArrayDeque<>(); // lengths of those delivered in a branch and not released
    final Deque<Long> places = new ArrayDeque<>(); // of decided multicasts that are not released yet; may be AWAY
    @Nullable View view;
    boolean waiting = true;
    long begunNanos = -1;
    long consumedNext; // what was kept back for the state counts as consumed
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    List<Member> members = new ArrayList<>();
    history.members().forEach(_ -> members.add(new Member()));
    var inBranches = new BranchMessages(members.size());
    Iterator<ViewInterval> arrivals = intervals.all().iterator();
    for (HistoryEvent event : history.events()) {
      Member member = members.get(event.member());
      switch (event) {
        case HistoryEvent.Installed installed -> {
          member.view = installed.view();
          member.waiting = arrivals.next().isWaiting();
          if (member.waiting) {
            startOver(member);
          }
        }
        case HistoryEvent.Begun begun -> {
          startOver(member);
          member.waiting = false;
          member.consumedNext = begun.index();
          member.begunNanos = begun.nanos();
        }
        case HistoryEvent.Consumed consumed -> member.consumedNext = Math.max(member.consumedNext, consumed.next());
        case Submitted submitted -> member.lengths.add(submitted.length());
        case Decided decided when decided.position() == AWAY -> decide(member, decided.messages(), AWAY);
        case Delivered delivered -> deliver(delivered, member);
        case HistoryEvent.DecidedInBranch decided -> {
          int first = Math.min(member.places.size() + inBranches.undecided(decided.member()), member.lengths.size());
          int next = Math.min(first + decided.messages(), member.lengths.size());
          List<Integer> lengths = member.lengths.subList(first, next);
          member.inBranch.addAll(lengths);
          lengths.clear();
        }
        case Released released -> release(history, released, members, report);
        default -> {}
      }
      inBranches.add(event);
    }
  }

  /// What it delivered before is in the state that it gets, or, with agreed delivery, is lost.
  private static void startOver(Member member) {
    int before = member.places.size();
    member.places.clear();
    decide(member, before, AWAY);
  }

  private static void deliver(Delivered delivered, Member member) {
    if (delivered.batch().sender() == delivered.member()) {
      for (int i = 0; delivered.batch().isWeak() && i < delivered.batch().count(); i++) {
        member.places.removeLast(); // the sender was told -1, as if it had been away
      }
      decide(member, delivered.batch().count(), delivered.index());
    }
    if (member.begunNanos == delivered.nanos()) {
      member.consumedNext = Math.max(member.consumedNext, delivered.index() + 1);
    }
  }

  private static void decide(Member member, int messages, long index) {
    for (int i = 0; i < messages; i++) {
      member.places.add(index);
    }
  }

  private void release(History history, Released released, List<Member> members, Consumer<String> report) {
    Member sender = members.get(released.member());
    String who = history.name(released.member());
    long cost = released.cost();
    long index = AWAY;
    boolean inBranch = !sender.inBranch.isEmpty(); // those are released first, at the latest when the branch ends
    while (inBranch && cost > 0 && !sender.inBranch.isEmpty()) {
      cost -= sender.inBranch.remove() + overhead;
    }
    while (!inBranch && cost > 0 && !sender.lengths.isEmpty()) {
      cost -= sender.lengths.removeFirst() + overhead;
      if (sender.places.isEmpty()) {
        report.accept(who + " was given back room for what is not delivered yet");
        return;
      }
      index = sender.places.remove();
    }
    if (cost != 0) {
      report.accept(who + " was given back " + released.cost() + ", not whole multicasts");
    }
    View view = sender.view;
    if (view != null && !inBranch) {
      for (MemberId other : view.members().subList(0, view.voting())) {
        Member consumer = members.get(history.ordinalOf(other));
        if (hasArrived(consumer, view) && consumer.consumedNext <= index) {
          report.accept(
              who
                  + " was given back room for "
                  + index
                  + ", but "
                  + other
                  + " has consumed only up to "
                  + (consumer.consumedNext - 1));
        }
      }
    }
  }

  /// Whether a member's application has been shown a view, or a later one, and is not waiting. A member that is waiting
  /// is shown its views late.
  private static boolean hasArrived(Member member, View view) {
    return !member.waiting && member.view != null && member.view.id().compareTo(view.id()) >= 0;
  }
}
