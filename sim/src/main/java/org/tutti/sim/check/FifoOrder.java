package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Gave;
import org.tutti.sim.check.Happening.Restored;

/// A sender's batches are delivered in its order, none missing, none twice, on through views and state transfers (H1).
///
/// Where a newcomer has no state its first batch of a sender may be any; after a gap, any later one.
public record FifoOrder() implements Checker {
  private record Transfer(int donor, long number) implements Comparable<Transfer> {
    @Override
    public int compareTo(Transfer other) {
      int byDonor = Integer.compare(donor, other.donor);
      return byDonor != 0 ? byDonor : Long.compare(number, other.number);
    }
  }

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    int members = history.members().size();
    List<Counts> counts = new ArrayList<>();
    List<List<Delivered>> waiting = new ArrayList<>(); // for the state that comes before them; null entries: none comes
    for (int i = 0; i < members; i++) {
      counts.add(new Counts(members, true));
      waiting.add(null);
    }
    long[] indexNext = new long[members];
    Map<Transfer, Counts> given = new TreeMap<>();
    for (Happening happening : history.happenings()) {
      int member = happening.member();
      switch (happening) {
        case Happening.Offered _ -> waiting.set(member, new ArrayList<>());
        case Gave gave -> given.put(new Transfer(member, gave.transfer()), counts.get(member).copy());
        case Restored restored -> {
          Counts state = given.get(new Transfer(restored.donor(), restored.transfer()));
          counts.set(member, state == null ? new Counts(members, false) : state.copy());
          List<Delivered> held = waiting.set(member, null);
          if (held != null) {
            held.forEach(delivered -> take(history, delivered, counts.get(member), report));
          }
        }
        case Delivered delivered -> {
          if (waiting.get(member) != null) {
            waiting.get(member).add(delivered);
          } else {
            if (!history.stateTransfer() && delivered.index() != indexNext[member]) {
              counts.get(member).forget();
            }
            indexNext[member] = delivered.index() + 1;
            take(history, delivered, counts.get(member), report);
          }
        }
        default -> {}
      }
    }
  }

  private static void take(History history, Delivered delivered, Counts counts, Consumer<String> report) {
    Content batch = delivered.batch();
    long expected = counts.of(batch.sender());
    if (expected >= 0 && expected != batch.seq()) {
      report.accept(
          history.name(delivered.member())
              + " delivered batch "
              + batch.seq()
              + " of "
              + history.name(batch.sender())
              + " at "
              + delivered.index()
              + ", expected was "
              + expected);
    }
    counts.set(batch.sender(), batch.seq() + 1);
  }
}
