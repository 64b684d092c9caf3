package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.List;

/// Two members of overlapping groups deliver the messages that both get in the same order, whatever groups they are in
/// (multi-group identical order).
public final class MultiGroupOrder {
  private MultiGroupOrder() {}

  /// Looks for two messages in different orders.
  ///
  /// @param crossing what happened
  /// @return what did not hold, three at most
  public static List<Violation> check(MultiGroupHistory crossing) {
    List<Violation> found = new ArrayList<>();
    List<List<Integer>> timely = crossing.timely();
    for (int life = 0; life < timely.size(); life++) {
      int[] place = new int[crossing.messages()];
      for (int i = 0; i < timely.get(life).size(); i++) {
        place[timely.get(life).get(i)] = i + 1;
      }
      for (int other = life + 1; other < timely.size(); other++) {
        int last = -1;
        for (int message : timely.get(other)) {
          if (place[message] == 0) {
            continue;
          }
          if (last >= 0 && place[message] < place[last] && found.size() < 3) {
            found.add(
                new Violation(
                    "MultiGroupOrder",
                    "life " + other + " delivers " + last + " before " + message + ", life " + life + " after it"));
          }
          last = message;
        }
      }
    }
    return found;
  }
}
