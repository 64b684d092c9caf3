package org.tutti.sim.check;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.sim.check.HistoryEvent.Gave;
import org.tutti.sim.check.HistoryEvent.Offered;
import org.tutti.sim.check.HistoryEvent.StateRead;

/// Each state that a member reads to its end is, byte for byte, one that the donor in its offer had at the index and
/// position of the offer.
public record StateIntegrity() implements Checker {
  private record State(MemberId donor, long index, long position, long content) {}

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    var offers = new @Nullable Offered[history.members().size()];
    Set<State> given = new HashSet<>();
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case Gave gave -> {
          MemberId donor = history.members().get(gave.member());
          given.add(new State(donor, gave.summary().index(), gave.summary().position(), gave.content()));
        }
        case Offered offered -> offers[offered.member()] = offered;
        case HistoryEvent.Interrupted interrupted -> offers[interrupted.member()] = null;
        case StateRead read -> {
          Offered offer = offers[read.member()];
          if (offer == null
              || !given.contains(new State(offer.donor(), offer.index(), offer.position(), read.content()))) {
            report.accept(
                history.name(read.member()) + " read a state of " + read.bytes() + " bytes that nobody gave; " + offer);
          }
          offers[read.member()] = null;
        }
        default -> {}
      }
    }
  }
}
