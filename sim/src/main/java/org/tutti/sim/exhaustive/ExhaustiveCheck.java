package org.tutti.sim.exhaustive;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.sim.exhaustive.BoundedModel.Fault;
import org.tutti.sim.exhaustive.BoundedModel.Runs;
import org.tutti.sim.exhaustive.BoundedModel.Ways;
import org.tutti.sim.exhaustive.Exploration.Result;

/// The worlds that are looked at, and the bounds up to which it takes no longer than a minute.
public final class ExhaustiveCheck {
  /// More states than this are not kept; then there are fewer messages.
  public static final int STATES_MAX = 3_000_000;

  private record Bound(int members, int messages, Runs runs, Ways ways) {}

  private static final List<Bound> BOUNDS =
      List.of(
          new Bound(2, 3, Runs.ANY, Ways.STAR), // of two members every way is a star
          new Bound(2, 4, Runs.ONE, Ways.STAR),
          new Bound(3, 2, Runs.ONE, Ways.STAR),
          new Bound(3, 2, Runs.ONE, Ways.CHAIN),
          new Bound(3, 2, Runs.ONE, Ways.RELAY),
          new Bound(3, 2, Runs.ONE, Ways.EITHER),
          new Bound(3, 2, Runs.ONE, Ways.INDIRECT));

  private ExhaustiveCheck() {}

  /// Lists worlds.
  ///
  /// @param ordering only this one, or null for all
  /// @param members  only with so many, or null
  /// @param messages with so many instead of what takes no longer than a minute, or null
  /// @return the worlds, with every fault
  public static List<BoundedModel> scenarios(
      @Nullable Ordering ordering, @Nullable Integer members, @Nullable Integer messages) {
    List<BoundedModel> scenarios = new ArrayList<>();
    for (Ordering order : ordering == null ? List.of(Ordering.values()) : List.of(ordering)) {
      for (Bound bound : BOUNDS) {
        for (Fault fault : members == null || members == bound.members ? Fault.values() : new Fault[0]) {
          int count = messages == null ? bound.messages : messages;
          scenarios.add(new BoundedModel(order, bound.members, count, fault, bound.runs, bound.ways));
        }
      }
    }
    return scenarios;
  }

  /// Explores worlds, each with fewer messages when there are too many states.
  ///
  /// @param scenarios the worlds
  /// @param statesMax how many states are too many
  /// @param show      is given each result at once, those that are not complete included
  /// @return whether each was explored completely, with at least one message, and nothing is wrong
  public static boolean run(List<BoundedModel> scenarios, int statesMax, Consumer<Result> show) {
    boolean passed = true;
    for (BoundedModel scenario : scenarios) {
      Result result = Exploration.explore(scenario, statesMax);
      show.accept(result);
      for (int fewer = scenario.messages() - 1; fewer > 0 && !result.complete(); fewer--) {
        result = Exploration.explore(scenario.withMessages(fewer), statesMax);
        show.accept(result);
      }
      passed &= result.complete() && result.violation() == null;
    }
    return passed;
  }

  /// Explores one world, for callers that share no class with it but the JDK's.
  ///
  /// @param ordering the ordering's constant
  /// @param members  how many members
  /// @param messages how many messages
  /// @param fault    the fault's constant
  /// @param ways     the constant of how batches reach the others
  /// @return what is wrong and how it came about, or nothing
  public static List<String> violation(String ordering, int members, int messages, String fault, String ways) {
    var scenario =
        new BoundedModel(
            Ordering.valueOf(ordering), members, messages, Fault.valueOf(fault), Runs.ONE, Ways.valueOf(ways));
    Result result = Exploration.explore(scenario, STATES_MAX);
    List<String> words = new ArrayList<>();
    if (result.violation() != null) {
      words.add(result.violation());
      words.addAll(result.trace());
    }
    return words;
  }
}
