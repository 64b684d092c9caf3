package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Early;
import org.tutti.sim.check.HistoryEvent.Submitted;

/// What is delivered was multicast by the member that it names, once, and nobody changed it: every member's batches, in
/// their order, are a beginning of what its application multicast, but for what went to branches.
///
/// A member that begins anew with a state may deliver again what it had delivered early and the state does not contain.
public record Integrity() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    List<List<Submitted>> submitted = new ArrayList<>();
    history.members().forEach(_ -> submitted.add(new ArrayList<>()));
    var inBranches = BranchMessages.of(history);
    var number = new int[submitted.size()];
    for (HistoryEvent event : history.events()) {
      if (event instanceof Submitted message && !inBranches.contains(message.member(), number[message.member()]++)) {
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
      if (contents.isEmpty()) {
        behind(history, sender, seq, submitted.subList(at, submitted.size()), report);
        return;
      }
      if (contents.size() != 1) {
        report.accept("batch " + seq + " of " + history.name(sender) + " has two contents: " + contents);
        return;
      }
      Content content = contents.getFirst();
      for (int i = 0; i < content.count(); i++, at++) {
        if (at >= submitted.size() || !says(submitted.get(at), content, i)) {
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

  private static void begin(History history, int member, Set<Content> seen, Set<Content> open) {
    if (history.guarantee() == Guarantee.AGREED) {
      seen.retainAll(open); // what had its place while the member was cut off does not count any more
    }
    if (history.stateTransfer(member)) {
      seen.removeAll(open);
      open.clear();
    }
  }

  private static boolean says(Submitted message, Content content, int at) {
    return message.service() == content.service()
        && message.hash() == content.hash(at)
        && message.length() == content.length(at);
  }

  /// Behind a batch that nobody delivered there are none but weak ones that were delivered early and have no place: the
  /// history does not contain them.
  private static void behind(History history, int sender, long missing, List<Submitted> left, Consumer<String> report) {
    for (HistoryEvent event : history.events()) {
      Content content = null;
      if (event instanceof Delivered delivered) {
        content = delivered.batch();
        if (content.sender() == sender && content.seq() > missing) {
          report.accept(history.name(sender) + "'s batch " + missing + " was never delivered, but " + content);
        }
      } else if (event instanceof Early early) {
        content = early.batch();
      }
      if (content != null && content.sender() == sender && content.seq() > missing && !isPart(content, left)) {
        report.accept(content + " is not what " + history.name(sender) + " multicast");
      }
    }
  }

  private static boolean isPart(Content content, List<Submitted> left) {
    for (int from = 0; from + content.count() <= left.size(); from++) {
      int same = 0;
      while (same < content.count() && says(left.get(from + same), content, same)) {
        same++;
      }
      if (same == content.count()) {
        return true;
      }
    }
    return false;
  }

  private static void once(History history, Consumer<String> report) {
    List<Set<Content>> seen = new ArrayList<>();
    List<Set<Content>> open = new ArrayList<>(); // delivered early, and without a place
    history
        .members()
        .forEach(_ -> {
          seen.add(new HashSet<>());
          open.add(new HashSet<>());
        });
    for (HistoryEvent event : history.events()) {
      int member = event.member();
      switch (event) {
        case HistoryEvent.Begun _ -> begin(history, member, seen.get(member), open.get(member));
        case Early(_, _, Content batch) -> {
          open.get(member).add(batch);
          if (!seen.get(member).add(batch)) {
            report.accept(history.name(member) + " delivered " + batch + " again, without a place");
          }
        }
        case Delivered delivered when delivered.again() -> {
          if (!open.get(member).remove(delivered.batch())) {
            report.accept(history.name(member) + " passed over " + delivered.batch() + " at " + delivered.index());
          }
        }
        case Delivered delivered when !seen.get(member).add(delivered.batch()) ->
            report.accept(history.name(member) + " delivered " + delivered.batch() + " again, at " + delivered.index());
        default -> {}
      }
    }
  }
}
