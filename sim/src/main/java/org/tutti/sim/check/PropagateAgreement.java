package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.ViewId;

/// When a member's n-th `propagate` in a view returns, it has the n-th message that each member of the view has said in
/// it, and no other; and so has, at the same place of the history, every member whose n-th call returns in it.
///
/// With agreed delivery a minority may have been further than the history goes, so members are not compared.
public final class PropagateAgreement {
  private record InView(int life, ViewId view) {}

  private record Round(ViewId view, int number) {}

  private PropagateAgreement() {}

  /// Looks for calls that returned with something else.
  ///
  /// @param exchanges what happened
  /// @return what did not hold, three at most
  public static List<Violation> check(ExchangeHistory exchanges) {
    List<Violation> found = new ArrayList<>();
    Map<InView, List<Integer>> said = new HashMap<>(); // looked up only, as the next ones
    Map<InView, Integer> returned = new HashMap<>();
    Map<Round, ExchangeHistory.Step.Returned> rounds = new HashMap<>();
    for (ExchangeHistory.Step step : exchanges.steps()) {
      switch (step) {
        case ExchangeHistory.Step.Said(int life, ViewId view, int message) ->
            said.computeIfAbsent(new InView(life, view), _ -> new ArrayList<>()).add(message);
        case ExchangeHistory.Step.Returned call -> {
          ViewId view = call.view().id();
          int number = returned.merge(new InView(call.life(), view), 1, Integer::sum);
          String words = "propagation " + number + " of " + exchanges.name(call.life()) + " in " + view;
          var members = new TreeSet<Integer>();
          List<MemberId> voters = call.view().members().subList(0, call.view().voting());
          voters.forEach(member -> members.add(exchanges.life(member)));
          if (!call.messages().keySet().equals(members)) {
            found.add(new Violation("PropagateAgreement", words + " returned with " + call.messages()));
          }
          if (!members.contains(call.life())) {
            if (!isOneRound(call, said)) {
              found.add(
                  new Violation("PropagateAgreement", words + ", who observes, returned with " + call.messages()));
            }
            continue;
          }
          call.messages()
              .forEach((life, message) -> {
                List<Integer> its = said.getOrDefault(new InView(life, view), List.of());
                if (its.size() < number || !its.get(number - 1).equals(message)) {
                  found.add(
                      new Violation(
                          "PropagateAgreement",
                          words + " returned with " + message + " of " + exchanges.name(life) + ", said was " + its));
                }
              });
          ExchangeHistory.Step.Returned first = rounds.putIfAbsent(new Round(view, number), call);
          boolean comparable = first != null && exchanges.guarantee() == Guarantee.UNIFORM;
          if (comparable && (first.index() != call.index() || !first.messages().equals(call.messages()))) {
            found.add(
                new Violation("PropagateAgreement", words + " returned with " + call + ", another with " + first));
          }
        }
        default -> {}
      }
    }
    return found.subList(0, Math.min(3, found.size()));
  }

  /// Whether all voters said in one of their rounds what an observer was told.
  private static boolean isOneRound(ExchangeHistory.Step.Returned call, Map<InView, List<Integer>> said) {
    ViewId view = call.view().id();
    Set<Integer> rounds = new HashSet<>();
    call.messages()
        .forEach((life, message) -> rounds.add(said.getOrDefault(new InView(life, view), List.of()).indexOf(message)));
    return rounds.size() == 1 && !rounds.contains(-1);
  }
}
