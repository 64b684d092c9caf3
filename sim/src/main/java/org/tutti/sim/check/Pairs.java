package org.tutti.sim.check;

import java.util.List;
import java.util.function.BiConsumer;

/// Members of one view, two by two.
final class Pairs {
  private Pairs() {}

  /// Walks through the pairs that go on to the same next view, neither of them waiting. Being equal is transitive,
  /// so that each is paired only with the first one that goes the same way.
  static void movingTogether(List<Stay> together, BiConsumer<Stay, Stay> pair) {
    for (int i = 0; i < together.size(); i++) {
      Stay q = together.get(i);
      for (int j = 0; j < i; j++) {
        Stay p = together.get(j);
        if (moveTogether(p, q)) {
          pair.accept(p, q);
          break;
        }
      }
    }
  }

  private static boolean moveTogether(Stay p, Stay q) {
    Stay nextOfP = p.next();
    Stay nextOfQ = q.next();
    return !p.isWaiting()
        && !q.isWaiting()
        && nextOfP != null
        && nextOfQ != null
        && nextOfP.view().id().equals(nextOfQ.view().id())
        && !nextOfP.isWaiting()
        && !nextOfQ.isWaiting();
  }
}
