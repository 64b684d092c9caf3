package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.View;

/// Uniform groups: what anyone delivered in a primary view, even if it crashed right after, is delivered by every member
/// of every later primary view before that view, or contained in the state that the member gets in it (H1, B2).
public record UniformAgreement() implements Checker {
  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    if (history.guarantee() != Guarantee.UNIFORM) {
      return;
    }
    long end = 0; // behind everything that was delivered in the views so far
    int whose = -1;
    for (View view : stays.primaries()) {
      List<Stay> together = stays.byView().get(view.id());
      for (Stay stay : together) {
        if (start(stay) >= 0 && start(stay) < end) {
          report.accept(
              history.name(stay.member())
                  + " begins "
                  + view
                  + " at "
                  + start(stay)
                  + ", but "
                  + history.name(whose)
                  + " delivered up to "
                  + (end - 1)
                  + " before it");
        }
      }
      for (Stay stay : together) {
        long reached = stay.deliveries().isEmpty() ? -1 : stay.end();
        if (reached > end) {
          end = reached;
          whose = stay.member();
        }
      }
    }
  }

  /// The index at which a member begins a view; -1 when nothing tells.
  private static long start(Stay stay) {
    if (stay.from() >= 0) {
      return stay.from();
    }
    return stay.deliveries().isEmpty() ? -1 : stay.deliveries().getFirst().index();
  }
}
