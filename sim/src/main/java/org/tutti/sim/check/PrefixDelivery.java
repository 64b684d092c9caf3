package org.tutti.sim.check;

import java.util.List;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.ViewId;

/// Prefix Delivery, for members p and q of a primary view with next views wp and wq: the same next view: the same
/// sequence; wp primary: q's sequence is a prefix of p's; both primary: one is a prefix of the other.
///
/// For uniform groups. It holds for a q without a next view, too: it crashed, or has not gone on yet.
public record PrefixDelivery() implements Checker {
  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    if (history.guarantee() != Guarantee.UNIFORM) {
      return;
    }
    for (List<ViewInterval> together : intervals.byView().values()) {
      if (together.getFirst().view().primary()) {
        for (ViewInterval p : together) {
          for (ViewInterval q : together) {
            if (p != q) {
              compare(history, p, q, report);
            }
          }
        }
      }
    }
  }

  private static void compare(History history, ViewInterval p, ViewInterval q, Consumer<String> report) {
    ViewInterval wp = p.next();
    ViewInterval wq = q.next();
    if (wp == null) {
      return;
    }
    ViewId idOfQ = wq == null ? null : wq.view().id();
    var sequences = Sequences.allOf(p, q);
    boolean holds;
    if (wp.view().id().equals(idOfQ)) {
      holds = sequences.equal();
    } else if (wp.view().primary() && wq != null && wq.view().primary()) {
      holds = sequences.onePrefix();
    } else if (wp.view().primary()) {
      holds = sequences.secondIsPrefix();
    } else {
      holds = true;
    }
    if (!holds) {
      report.accept(
          "in "
              + p.view()
              + " "
              + history.name(p.member())
              + " (next "
              + wp.view()
              + ") and "
              + history.name(q.member())
              + " (next "
              + (wq == null ? "none" : wq.view())
              + "): "
              + sequences.difference());
    }
  }
}
