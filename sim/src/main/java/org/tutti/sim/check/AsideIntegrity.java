package org.tutti.sim.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// A multicast to some members is delivered only by those, at most once by each, only if it was multicast, with its
/// content; and by nobody if its sender was told that it was not sent.
public record AsideIntegrity() implements Checker {
  private record Delivery(int member, Aside aside) {}

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    Map<Aside, Happening.AsideSubmitted> submitted = new HashMap<>();
    Set<Aside> decided = new HashSet<>();
    Set<Aside> refused = new HashSet<>();
    for (Happening happening : history.happenings()) {
      switch (happening) {
        case Happening.AsideSubmitted aside -> submitted.put(Aside.of(aside), aside);
        case Happening.AsideDecided(int member, _, long number, var fate) -> {
          var aside = new Aside(member, number);
          if (!submitted.containsKey(aside) || !decided.add(aside)) {
            report.accept(history.name(member) + " was told again of " + aside.in(history));
          }
          switch (fate) {
            case NOT_ORDERED, NOT_MEMBERS -> refused.add(aside);
            case HELD, GONE, UNKNOWN -> {}
          }
        }
        default -> {}
      }
    }
    Set<Delivery> seen = new HashSet<>();
    for (Happening happening : history.happenings()) {
      if (happening instanceof Happening.AsideDelivered delivered) {
        var aside = Aside.of(delivered);
        Happening.AsideSubmitted message = submitted.get(aside);
        String who = history.name(delivered.member());
        if (message == null || message.hash() != delivered.hash() || message.length() != delivered.length()) {
          report.accept(who + " delivered " + aside.in(history) + ", which is not what was multicast");
        } else if (!message.destinations().contains(delivered.member())) {
          report.accept(who + " delivered " + aside.in(history) + ", which is not for it");
        } else if (!seen.add(new Delivery(delivered.member(), aside))) {
          report.accept(who + " delivered " + aside.in(history) + " again");
        } else if (refused.contains(aside)) {
          report.accept(who + " delivered " + aside.in(history) + ", and its sender was told that it was not sent");
        }
      }
    }
  }
}
