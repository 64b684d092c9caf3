package org.tutti.sim.check;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;

/// Members of one view, two by two.
final class Pairs {
  private Pairs() {}

  /// Walks through the pairs that go on to the same next view, neither of them waiting. Being equal is transitive,
  /// so that each is paired only with the first one that goes the same way.
  static void movingTogether(List<ViewInterval> together, BiConsumer<ViewInterval, ViewInterval> pair) {
    walk(together, Pairs::moveTogether, pair);
  }

  /// The same, whether or not they are waiting.
  static void goingTogether(List<ViewInterval> together, BiConsumer<ViewInterval, ViewInterval> pair) {
    walk(together, Pairs::haveSameNext, pair);
  }

  private static void walk(
      List<ViewInterval> together,
      BiPredicate<ViewInterval, ViewInterval> isPair,
      BiConsumer<ViewInterval, ViewInterval> pair) {
    for (int i = 0; i < together.size(); i++) {
      ViewInterval q = together.get(i);
      for (int j = 0; j < i; j++) {
        ViewInterval p = together.get(j);
        if (isPair.test(p, q)) {
          pair.accept(p, q);
          break;
        }
      }
    }
  }

  private static boolean moveTogether(ViewInterval p, ViewInterval q) {
    ViewInterval nextOfP = p.next();
    ViewInterval nextOfQ = q.next();
    return haveSameNext(p, q) && !p.isWaiting() && !q.isWaiting() && !nextOfP.isWaiting() && !nextOfQ.isWaiting();
  }

  private static boolean haveSameNext(ViewInterval p, ViewInterval q) {
    ViewInterval nextOfP = p.next();
    ViewInterval nextOfQ = q.next();
    return nextOfP != null && nextOfQ != null && nextOfP.view().id().equals(nextOfQ.view().id());
  }
}
