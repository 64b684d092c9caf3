package org.tutti.sim.check;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tutti.Guarantee;
import org.tutti.Service;

/// The orders in which all members, also those that crash, deliver multicasts to some members and places of the
/// history have no cycle together; nor have they with what each sender multicast and had delivered before, one after
/// the other. Uniform groups only: in others, lost branches of the history have places of their own.
public record SubsetOrder() implements Checker {
  /// What is delivered.
  private sealed interface Node {
    record Place(long index) implements Node {}

    record Some(SubsetId subset) implements Node {}
  }

  /// Before and after, as far as somebody has seen it.
  private static final class Graph {
    private final Map<Node, Set<Node>> after = new LinkedHashMap<>();

    void add(Node before, Node then) {
      if (!before.equals(then)) {
        after.computeIfAbsent(before, _ -> new LinkedHashSet<>()).add(then);
      }
    }

    /// Takes away what nothing comes before, until nothing is left but cycles.
    List<Node> cyclic() {
      Map<Node, Integer> before = new LinkedHashMap<>();
      after.forEach((node, later) -> {
        before.putIfAbsent(node, 0);
        later.forEach(next -> before.merge(next, 1, Integer::sum));
      });
      var free = new ArrayDeque<Node>();
      before.forEach((node, count) -> {
        if (count == 0) {
          free.add(node);
        }
      });
      while (!free.isEmpty()) {
        Node node = free.remove();
        before.remove(node);
        for (Node next : after.getOrDefault(node, Set.of())) {
          if (before.merge(next, -1, Integer::sum) == 0) {
            free.add(next);
          }
        }
      }
      return List.copyOf(before.keySet());
    }
  }

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    if (history.guarantee() != Guarantee.UNIFORM) {
      return;
    }
    var graph = new Graph();
    Set<SubsetId> delivered = deliveries(history, graph);
    if (delivered.isEmpty()) {
      return;
    }
    submissions(history, delivered, graph);
    List<Node> cyclic = graph.cyclic();
    if (!cyclic.isEmpty()) {
      report.accept("no order of all contains " + words(history, cyclic));
    }
  }

  private static String words(History history, List<Node> cyclic) {
    List<String> words = new ArrayList<>();
    for (Node node : cyclic.subList(0, Math.min(8, cyclic.size()))) {
      words.add(
          switch (node) {
            case Node.Place(long index) -> "place " + index;
            case Node.Some(SubsetId subset) -> subset.in(history);
          });
    }
    return String.join(", ", words);
  }

  private static Set<SubsetId> deliveries(History history, Graph graph) {
    Set<SubsetId> delivered = new HashSet<>();
    Map<Integer, Node> last = new HashMap<>();
    for (HistoryEvent event : history.events()) {
      Node node =
          switch (event) {
            case HistoryEvent.Delivered place -> new Node.Place(place.index());
            case HistoryEvent.SubsetDelivered subset -> {
              delivered.add(SubsetId.of(subset));
              yield new Node.Some(SubsetId.of(subset));
            }
            default -> null;
          };
      if (node != null) {
        Node before = last.put(event.member(), node);
        if (before != null) {
          graph.add(before, node);
        }
      }
    }
    return delivered;
  }

  /// What a sender multicast and delivered before a subset multicast comes before it, and what it multicast later
  /// behind.
  private static void submissions(History history, Set<SubsetId> delivered, Graph graph) {
    Map<Integer, TreeMap<Long, Node>> places = places(history);
    var inBranches = BranchMessages.of(history);
    var number = new int[history.members().size()];
    Map<Integer, Node> lastDelivered = new HashMap<>();
    Map<Integer, Node> lastSent = new HashMap<>();
    Map<Integer, Long> messages = new HashMap<>();
    for (HistoryEvent event : history.events()) {
      int member = event.member();
      switch (event) {
        case HistoryEvent.Delivered place -> lastDelivered.put(member, new Node.Place(place.index()));
        case HistoryEvent.SubsetDelivered subset -> lastDelivered.put(member, new Node.Some(SubsetId.of(subset)));
        case HistoryEvent.Submitted message when !inBranches.contains(member, number[member]++) -> {
          long at = messages.merge(member, 1L, Long::sum) - 1;
          Node node = places.getOrDefault(member, new TreeMap<>()).get(at);
          if (node != null && message.service() == Service.TOTAL) {
            follow(lastSent, member, node, graph);
          }
        }
        case HistoryEvent.SubsetSubmitted subset when delivered.contains(SubsetId.of(subset)) -> {
          var node = new Node.Some(SubsetId.of(subset));
          follow(lastSent, member, node, graph);
          Node cause = lastDelivered.get(member);
          if (cause != null) {
            graph.add(cause, node);
          }
        }
        default -> {}
      }
    }
  }

  private static void follow(Map<Integer, Node> lastSent, int member, Node node, Graph graph) {
    Node before = lastSent.put(member, node);
    if (before != null) {
      graph.add(before, node);
    }
  }

  /// By sender, the place of each message that has one.
  private static Map<Integer, TreeMap<Long, Node>> places(History history) {
    Map<Integer, TreeMap<Long, Long>> batches = new TreeMap<>(); // sender -> number -> index
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Delivered(_, _, long index, _, Content batch, _)) {
        batches.computeIfAbsent(batch.sender(), _ -> new TreeMap<>()).put(batch.seq(), index);
      }
    }
    Map<Integer, TreeMap<Long, Node>> places = new HashMap<>();
    batches.forEach((sender, indexes) -> {
      var its = places.computeIfAbsent(sender, _ -> new TreeMap<>());
      long message = 0;
      for (long seq = 0; indexes.containsKey(seq); seq++) {
        for (int i = 0; i < history.contents(sender, seq).getFirst().count(); i++, message++) {
          its.put(message, new Node.Place(indexes.get(seq)));
        }
      }
    });
    return places;
  }
}
