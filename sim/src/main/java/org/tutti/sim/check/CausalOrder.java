package org.tutti.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Guarantee;
import org.tutti.Service;
import org.tutti.sim.check.HistoryEvent.Delivered;
import org.tutti.sim.check.HistoryEvent.Early;
import org.tutti.sim.check.HistoryEvent.Submitted;

/// In a primary view nobody delivers a causal or totally ordered message before one of these services that its sender
/// had delivered, or multicast, in the view before it; and the places of their batches are in such an order, too,
/// which is what makes it so at the end of a view.
///
/// With agreed delivery a member may deliver, and send what follows from it, and be cut off: then those who go on may
/// have the one and not the other. A cause that none of them has is not asked for.
public record CausalOrder() implements Checker {
  /// Where a member was when it multicast a message.
  ///
  /// @param interval  its time in the view, or null before the first
  /// @param taken how much of [ViewInterval#taken] it had delivered
  private record Moment(@Nullable ViewInterval interval, int taken) {}

  @Override
  public void check(History history, ViewIntervals intervals, Consumer<String> report) {
    Map<Content, Moment> moments = moments(history, intervals);
    var first = new FirstDeliveries(history, intervals);
    for (ViewInterval interval : intervals.all()) {
      List<ViewInterval> together = intervals.byView().getOrDefault(interval.view().id(), List.of());
      check(history, interval, interval.taken(), moments, first, together, report);
      check(
          history,
          interval,
          interval.onTime().stream().map(Delivered::batch).toList(),
          moments,
          first,
          together,
          report);
    }
  }

  private static void check(
      History history,
      ViewInterval interval,
      List<Content> order,
      Map<Content, Moment> moments,
      FirstDeliveries first,
      List<ViewInterval> together,
      Consumer<String> report) {
    Map<Content, Integer> places = new HashMap<>();
    Map<Integer, Content> last = new HashMap<>();
    Map<ViewInterval, Integer> compared = new IdentityHashMap<>(); // of a sender's, those before an earlier batch of it
    order.forEach(batch -> places.put(batch, places.size()));
    for (Content batch : order) {
      if (!isCausal(batch)) {
        continue;
      }
      Content before = last.put(batch.sender(), batch);
      if (before != null && before.seq() >= batch.seq()) {
        report.accept(history.name(interval.member()) + " delivered " + batch + " after " + before);
      }
      Moment sent = moments.get(batch);
      if (sent == null || sent.interval == null || !sent.interval.view().id().equals(interval.view().id())) {
        continue;
      }
      Integer from = compared.put(sent.interval, sent.taken);
      for (Content cause : sent.interval.taken().subList(from == null ? 0 : Math.min(from, sent.taken), sent.taken)) {
        if (isCausal(cause)
            && places.getOrDefault(cause, Integer.MAX_VALUE) >= places.get(batch)
            && !first.isBefore(interval, cause)
            && !isLost(history, cause, together)) {
          report.accept(
              history.name(interval.member())
                  + " has "
                  + batch
                  + " in "
                  + interval.view()
                  + " before "
                  + cause
                  + ", which its sender had delivered before it");
          return;
        }
      }
    }
  }

  private static boolean isLost(History history, Content cause, List<ViewInterval> together) {
    return history.guarantee() == Guarantee.AGREED
        && together.stream()
            .filter(
                interval -> interval.next() != null && interval.next().view().primary() && !interval.next().isWaiting())
            .noneMatch(interval -> interval.taken().contains(cause));
  }

  private static boolean isCausal(Content batch) {
    return batch.count() > 0 && (batch.service() == Service.CAUSAL || batch.service() == Service.TOTAL);
  }

  /// When the last message of each batch was multicast, as far as the batches before it are known.
  private static Map<Content, Moment> moments(History history, ViewIntervals intervals) {
    List<List<Moment>> submitted = submitted(history, intervals);
    Map<Content, Moment> moments = new HashMap<>(); // looked up only
    for (int sender = 0; sender < submitted.size(); sender++) {
      int next = 0;
      for (long seq = 0; !history.contents(sender, seq).isEmpty(); seq++) {
        Content content = history.contents(sender, seq).getFirst();
        next += content.count();
        if (content.count() > 0 && next <= submitted.get(sender).size()) {
          moments.put(content, submitted.get(sender).get(next - 1));
        }
      }
    }
    return moments;
  }

  private static List<List<Moment>> submitted(History history, ViewIntervals intervals) {
    List<List<Moment>> submitted = new ArrayList<>();
    history.members().forEach(_ -> submitted.add(new ArrayList<>()));
    var inBranches = BranchMessages.of(history);
    var number = new int[submitted.size()];
    var current = new ViewInterval[submitted.size()];
    var taken = new int[submitted.size()];
    Iterator<ViewInterval> arrivals = intervals.all().iterator();
    for (HistoryEvent event : history.events()) {
      int member = event.member();
      switch (event) {
        case HistoryEvent.Installed _ -> {
          current[member] = arrivals.next();
          taken[member] = 0;
        }
        case Early _ -> taken[member]++;
        case Delivered delivered -> taken[member] += delivered.again() ? 0 : 1;
        case Submitted _ -> {
          ViewInterval interval = current[member];
          int count = interval == null || !interval.view().primary() || interval.isWaiting() ? 0 : taken[member];
          if (!inBranches.contains(member, number[member]++)) {
            submitted.get(member).add(new Moment(interval, count));
          }
        }
        default -> {}
      }
    }
    return submitted;
  }
}
