package org.tutti.sim.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// A multicast to some members is delivered only by those, at most once by each, only if it was multicast, with its
/// content; and by nobody if its sender was told that it was not sent.
public record SubsetIntegrity() implements Checker {
  private record Delivery(int member, SubsetId subset) {}

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    Map<SubsetId, HistoryEvent.SubsetSubmitted> submitted = new HashMap<>();
    Set<SubsetId> decided = new HashSet<>();
    Set<SubsetId> refused = new HashSet<>();
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case HistoryEvent.SubsetSubmitted subset -> submitted.put(SubsetId.of(subset), subset);
        case HistoryEvent.SubsetDecided(int member, _, long number, var fate) -> {
          var subset = new SubsetId(member, number);
          if (!submitted.containsKey(subset) || !decided.add(subset)) {
            report.accept(history.name(member) + " was told again of " + subset.in(history));
          }
          switch (fate) {
            case NOT_ORDERED, NOT_MEMBERS -> refused.add(subset);
            case HELD, GONE, UNKNOWN -> {}
          }
        }
        default -> {}
      }
    }
    Set<Delivery> seen = new HashSet<>();
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.SubsetDelivered delivered) {
        var subset = SubsetId.of(delivered);
        HistoryEvent.SubsetSubmitted message = submitted.get(subset);
        String who = history.name(delivered.member());
        if (message == null || message.hash() != delivered.hash() || message.length() != delivered.length()) {
          report.accept(who + " delivered " + subset.in(history) + ", which is not what was multicast");
        } else if (!message.destinations().contains(delivered.member())) {
          report.accept(who + " delivered " + subset.in(history) + ", which is not for it");
        } else if (!seen.add(new Delivery(delivered.member(), subset))) {
          report.accept(who + " delivered " + subset.in(history) + " again");
        } else if (refused.contains(subset)) {
          report.accept(who + " delivered " + subset.in(history) + ", and its sender was told that it was not sent");
        }
      }
    }
  }
}
