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
import org.tutti.sim.check.Happening.Delivered;
import org.tutti.sim.check.Happening.Early;
import org.tutti.sim.check.Happening.Submitted;

/// In a primary view nobody delivers a causal or totally ordered message before one of these services that its sender
/// had delivered, or multicast, in the view before it; and the places of their batches are in such an order, too,
/// which is what makes it so at the end of a view.
///
/// With agreed delivery a member may deliver, and send what follows from it, and be cut off: then those who go on may
/// have the one and not the other. A cause that none of them has is not asked for.
public record CausalOrder() implements Checker {
  /// Where a member was when it multicast a message.
  ///
  /// @param stay  its time in the view, or null before the first
  /// @param taken how much of [Stay#taken] it had delivered
  private record Moment(@Nullable Stay stay, int taken) {}

  @Override
  public void check(History history, Stays stays, Consumer<String> report) {
    Map<Content, Moment> moments = moments(history, stays);
    var first = new FirstDeliveries(history, stays);
    for (Stay stay : stays.all()) {
      List<Stay> together = stays.byView().getOrDefault(stay.view().id(), List.of());
      check(history, stay, stay.taken(), moments, first, together, report);
      check(history, stay, stay.onTime().stream().map(Delivered::batch).toList(), moments, first, together, report);
    }
  }

  private static void check(
      History history,
      Stay stay,
      List<Content> order,
      Map<Content, Moment> moments,
      FirstDeliveries first,
      List<Stay> together,
      Consumer<String> report) {
    Map<Content, Integer> places = new HashMap<>();
    Map<Integer, Content> last = new HashMap<>();
    Map<Stay, Integer> compared = new IdentityHashMap<>(); // of a sender's, those before an earlier batch of it
    order.forEach(batch -> places.put(batch, places.size()));
    for (Content batch : order) {
      if (!isCausal(batch)) {
        continue;
      }
      Content before = last.put(batch.sender(), batch);
      if (before != null && before.seq() >= batch.seq()) {
        report.accept(history.name(stay.member()) + " delivered " + batch + " after " + before);
      }
      Moment sent = moments.get(batch);
      if (sent == null || sent.stay == null || !sent.stay.view().id().equals(stay.view().id())) {
        continue;
      }
      Integer from = compared.put(sent.stay, sent.taken);
      for (Content cause : sent.stay.taken().subList(from == null ? 0 : Math.min(from, sent.taken), sent.taken)) {
        if (isCausal(cause)
            && places.getOrDefault(cause, Integer.MAX_VALUE) >= places.get(batch)
            && !first.isBefore(stay, cause)
            && !isLost(history, cause, together)) {
          report.accept(
              history.name(stay.member())
                  + " has "
                  + batch
                  + " in "
                  + stay.view()
                  + " before "
                  + cause
                  + ", which its sender had delivered before it");
          return;
        }
      }
    }
  }

  private static boolean isLost(History history, Content cause, List<Stay> together) {
    return history.guarantee() == Guarantee.AGREED
        && together.stream()
            .filter(stay -> stay.next() != null && stay.next().view().primary() && !stay.next().isWaiting())
            .noneMatch(stay -> stay.taken().contains(cause));
  }

  private static boolean isCausal(Content batch) {
    return batch.count() > 0 && (batch.service() == Service.CAUSAL || batch.service() == Service.TOTAL);
  }

  /// When the last message of each batch was multicast, as far as the batches before it are known.
  private static Map<Content, Moment> moments(History history, Stays stays) {
    List<List<Moment>> submitted = submitted(history, stays);
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

  private static List<List<Moment>> submitted(History history, Stays stays) {
    List<List<Moment>> submitted = new ArrayList<>();
    history.members().forEach(_ -> submitted.add(new ArrayList<>()));
    var inBranches = BranchMessages.of(history);
    var number = new int[submitted.size()];
    var current = new Stay[submitted.size()];
    var taken = new int[submitted.size()];
    Iterator<Stay> arrivals = stays.all().iterator();
    for (Happening happening : history.happenings()) {
      int member = happening.member();
      switch (happening) {
        case Happening.Installed _ -> {
          current[member] = arrivals.next();
          taken[member] = 0;
        }
        case Early _ -> taken[member]++;
        case Delivered delivered -> taken[member] += delivered.again() ? 0 : 1;
        case Submitted _ -> {
          Stay stay = current[member];
          int count = stay == null || !stay.view().primary() || stay.isWaiting() ? 0 : taken[member];
          if (!inBranches.contains(member, number[member]++)) {
            submitted.get(member).add(new Moment(stay, count));
          }
        }
        default -> {}
      }
    }
    return submitted;
  }
}
