package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Gave;
import org.tutti.sim.check.Happening.Restored;

/// A sender's batches are delivered in its order, none missing, none twice, on through views and state transfers (H1).
///
/// Where deliveries begin without state, the first batch of a sender may be any later one.
public record FifoOrder() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    int members = history.members().size();
    List<Counts> counts = new ArrayList<>();
    history.members().forEach(_ -> counts.add(new Counts(members, true)));
    Map<String, Counts> given = new HashMap<>();
    for (Happening happening : history.happenings()) {
      int member = happening.member();
      switch (happening) {
        case Gave gave -> given.put(member + "/" + gave.transfer(), counts.get(member).copy());
        case Restored restored -> {
          Counts state = given.get(restored.donor() + "/" + restored.transfer());
          counts.set(member, state == null ? new Counts(members, false) : state.copy());
        }
        case Happening.Begun begun when !history.stateTransfer() && begun.index() > 0 ->
            counts.get(member).forgetUpper();
        case Delivered delivered -> take(history, delivered, counts.get(member), report);
        default -> {}
      }
    }
  }

  private static void take(History history, Delivered delivered, Counts counts, Consumer<String> report) {
    Content batch = delivered.batch();
    if (!counts.allows(batch.sender(), batch.seq())) {
      report.accept(
          history.name(delivered.member())
              + " delivered batch "
              + batch.seq()
              + " of "
              + history.name(batch.sender())
              + " at "
              + delivered.index()
              + ", expected was "
              + counts.of(batch.sender()));
    }
    counts.set(batch.sender(), batch.seq() + 1);
  }
}
