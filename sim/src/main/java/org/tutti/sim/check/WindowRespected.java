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
import org.tutti.sim.check.Happening.Decided;
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Released;
import org.tutti.sim.check.Happening.Submitted;

/// Room in the window is given back for whole multicasts in their order, each once, and only for those that are
/// delivered and that the application of every member of the view has consumed, unless it is waiting for its state.
///
/// @param overhead what a message counts beyond its length
public record WindowRespected(int overhead) implements Checker {
  private static final int AWAY = -1;

  private static final class Member {
    final Deque<Integer> lengths = new ArrayDeque<>(); // of multicasts that are not released yet
    final Deque<Long> places = new ArrayDeque<>(); // of decided multicasts that are not released yet; may be AWAY
    @Nullable View view;
    boolean waiting = true;
    long begunNanos = -1;
    long consumedNext; // what was kept back for the state counts as consumed
  }

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    List<Member> members = new ArrayList<>();
    history.members().forEach(_ -> members.add(new Member()));
    Iterator<Stay> arrivals = stays.all().iterator();
    for (Happening happening : history.happenings()) {
      Member member = members.get(happening.member());
      switch (happening) {
        case Happening.Installed installed -> {
          member.view = installed.view();
          member.waiting = arrivals.next().isWaiting();
          if (member.waiting) {
            startOver(member);
          }
        }
        case Happening.Begun begun -> {
          startOver(member);
          member.waiting = false;
          member.begunNanos = begun.nanos();
        }
        case Happening.Consumed consumed -> member.consumedNext = Math.max(member.consumedNext, consumed.next());
        case Submitted submitted -> member.lengths.add(submitted.length());
        case Decided decided when decided.position() == AWAY -> decide(member, decided.messages(), AWAY);
        case Delivered delivered -> deliver(delivered, member);
        case Released released -> release(history, released, members, report);
        default -> {}
      }
    }
  }

  /// What it delivered before is in the state that it gets, or, with agreed delivery, in a branch that is lost.
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
    while (cost > 0 && !sender.lengths.isEmpty()) {
      cost -= sender.lengths.remove() + overhead;
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
    if (view != null) {
      for (MemberId other : view.members()) {
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
