package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// A message is not delivered before one that it may be an effect of, whatever groups the two are in (multi-group
/// causal precedence): its sender had multicast or delivered that one, or something that followed from it.
public final class MultiGroupCausality {
  private MultiGroupCausality() {}

  /// Looks for effects before their causes.
  ///
  /// @param crossing what happened
  /// @return what did not hold, three at most
  public static List<Violation> check(MultiGroupHistory crossing) {
    BitSet[] past = pasts(crossing);
    List<Violation> found = new ArrayList<>();
    List<List<Integer>> timely = crossing.timely();
    for (int life = 0; life < timely.size(); life++) {
      List<Integer> delivered = timely.get(life);
      for (int i = delivered.size() - 1; i >= 0; i--) {
        int message = delivered.get(i);
        for (int j = i + 1; j < delivered.size() && found.size() < 3; j++) {
          if (past[message].get(delivered.get(j))) {
            found.add(
                new Violation(
                    "MultiGroupCausality",
                    "life "
                        + life
                        + " delivers "
                        + message
                        + " before "
                        + delivered.get(j)
                        + ", which it follows from"));
          }
        }
      }
    }
    return found;
  }

  /// By message, those that it follows from.
  private static BitSet[] pasts(MultiGroupHistory crossing) {
    BitSet interrupted = interrupted(crossing);
    var past = new BitSet[crossing.messages()];
    var known = new BitSet[crossing.lives()]; // what the life has multicast or delivered, with all before it
    for (int life = 0; life < known.length; life++) {
      known[life] = new BitSet();
    }
    for (MultiGroupHistory.Step step : crossing.steps()) {
      switch (step) {
        case MultiGroupHistory.Step.Sent(int life, int message, _) -> {
          past[message] = (BitSet) known[life].clone();
          known[life].set(message, !interrupted.get(message));
        }
        case MultiGroupHistory.Step.Delivered(int life, int message) -> {
          known[life].or(past[message]);
          known[life].set(message);
        }
        case MultiGroupHistory.Step.CutOff _, MultiGroupHistory.Step.Apart _, MultiGroupHistory.Step.Entered _ -> {}
      }
    }
    return past;
  }

  /// Messages whose sender was cut off from their group, or ended, before it delivered them: nothing else waits for
  /// them.
  private static BitSet interrupted(MultiGroupHistory crossing) {
    BitSet interrupted = new BitSet();
    var groupOf = new int[crossing.messages()];
    var open = new BitSet[crossing.lives()]; // own multicasts that are not delivered here yet
    for (int life = 0; life < open.length; life++) {
      open[life] = new BitSet();
    }
    for (MultiGroupHistory.Step step : crossing.steps()) {
      switch (step) {
        case MultiGroupHistory.Step.Sent(int life, int message, int group) -> {
          groupOf[message] = group;
          open[life].set(message);
        }
        case MultiGroupHistory.Step.Delivered(int life, int message) -> open[life].clear(message);
        case MultiGroupHistory.Step.CutOff(int life, int group) -> interrupt(open[life], groupOf, group, interrupted);
        case MultiGroupHistory.Step.Apart(int life, int group) -> interrupt(open[life], groupOf, group, interrupted);
        case MultiGroupHistory.Step.Entered _ -> {}
      }
    }
    return interrupted;
  }

  private static void interrupt(BitSet open, int[] groupOf, int group, BitSet interrupted) {
    open.stream().filter(own -> groupOf[own] == group).forEach(interrupted::set);
  }
}
