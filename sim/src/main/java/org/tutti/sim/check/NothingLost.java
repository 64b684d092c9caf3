package org.tutti.sim.check;

import java.util.function.Consumer;
import org.tutti.sim.check.HistoryEvent.Closed;
import org.tutti.sim.check.HistoryEvent.Crashed;
import org.tutti.sim.check.HistoryEvent.Decided;
import org.tutti.sim.check.HistoryEvent.Submitted;

/// After a run that came to rest: every multicast of a member that lived to the end was delivered, and the member was
/// told so; all living members came equally far (liveness).
public record NothingLost() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    int members = history.members().size();
    long[] submitted = new long[members];
    long[] decided = new long[members];
    long[] inBranches = new long[members];
    boolean[] gone = new boolean[members];
    for (HistoryEvent event : history.events()) {
      switch (event) {
        case Submitted message -> submitted[message.member()]++;
        case Decided told -> decided[told.member()] += told.messages();
        case HistoryEvent.DecidedInBranch told -> {
          decided[told.member()] += told.messages();
          inBranches[told.member()] += told.messages();
        }
        case Crashed crashed -> gone[crashed.member()] = true;
        case Closed closed -> gone[closed.member()] = true;
        default -> {}
      }
    }
    long end = -1;
    int whose = -1;
    for (int member = 0; member < members; member++) {
      if (gone[member]) {
        continue;
      }
      long delivered = inBranches[member];
      for (long seq = 0; seq < history.batches(member); seq++) {
        delivered += history.contents(member, seq).stream().mapToInt(Content::count).max().orElse(0);
      }
      if (decided[member] != submitted[member] || delivered != submitted[member]) {
        report.accept(
            history.name(member)
                + " multicast "
                + submitted[member]
                + ", was told of "
                + decided[member]
                + ", "
                + delivered
                + " were delivered");
      }
      long next = intervals.next(member);
      if (next >= 0) {
        if (end >= 0 && end != next) {
          report.accept(history.name(member) + " came to " + next + ", " + history.name(whose) + " to " + end);
        }
        end = next;
        whose = member;
      }
    }
  }
}
