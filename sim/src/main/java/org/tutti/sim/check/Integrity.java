package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Submitted;

/// What is delivered was multicast by the member that it names, once, and nobody changed it: every member's batches, in
/// their order, are a beginning of what its application multicast (H1).
public record Integrity() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    List<List<Submitted>> submitted = new ArrayList<>();
    history.members().forEach(_ -> submitted.add(new ArrayList<>()));
    for (Happening happening : history.happenings()) {
      if (happening instanceof Submitted message) {
        submitted.get(message.member()).add(message);
      }
    }
    for (int sender = 0; sender < submitted.size(); sender++) {
      compare(history, sender, submitted.get(sender), report);
    }
    once(history, report);
  }

  private static void compare(History history, int sender, List<Submitted> submitted, Consumer<String> report) {
    int at = 0;
    for (long seq = 0; seq < history.batches(sender); seq++) {
      List<Content> contents = history.contents(sender, seq);
      if (contents.size() != 1) {
        String what = contents.isEmpty() ? " was never delivered, but a later one" : " has two contents: " + contents;
        report.accept("batch " + seq + " of " + history.name(sender) + what);
        return;
      }
      Content content = contents.getFirst();
      for (int i = 0; i < content.count(); i++, at++) {
        if (at >= submitted.size()
            || submitted.get(at).hash() != content.hash(i)
            || submitted.get(at).length() != content.length(i)) {
          report.accept(
              "message "
                  + i
                  + " of "
                  + content
                  + " is not what "
                  + history.name(sender)
                  + " multicast as its "
                  + at
                  + "th of "
                  + submitted.size());
          return;
        }
      }
    }
  }

  private static void once(History history, Consumer<String> report) {
    List<Set<Content>> seen = new ArrayList<>();
    history.members().forEach(_ -> seen.add(new HashSet<>()));
    for (Happening happening : history.happenings()) {
      int member = happening.member();
      if (happening instanceof Happening.Begun && history.guarantee() == Guarantee.AGREED) {
        seen.get(member).clear(); // what it delivered while it was cut off does not count any more
      } else if (happening instanceof Delivered delivered && !seen.get(member).add(delivered.batch())) {
        report.accept(history.name(member) + " delivered " + delivered.batch() + " again, at " + delivered.index());
      }
    }
  }
}
