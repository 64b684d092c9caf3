package org.tutti.sim.exhaustive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.membership.CutBuilder;
import org.tutti.order.Cut;
import org.tutti.order.Tail;

/// What the view change makes of wedged members: they report, [CutBuilder] makes the cut, each fetches what it misses
/// and delivers the rest. Depends on nothing but their states.
final class Ending {
  /// How it ends.
  ///
  /// @param delivered what each of them has delivered then
  /// @param violation what is wrong with it, or null
  record End(int[] delivered, @Nullable String violation) {}

  private final BoundedModel scenario;
  private final List<MemberStates> lives;
  private final Map<List<Integer>, End> ends = new HashMap<>();

  Ending(BoundedModel scenario, List<MemberStates> lives) {
    this.scenario = scenario;
    this.lives = lives;
  }

  /// Ends the view.
  ///
  /// @param states by rank, the member's state, or -1 when it does not take part
  End of(List<Integer> states) {
    return ends.computeIfAbsent(states, this::end);
  }

  int size() {
    return ends.size();
  }

  private End end(List<Integer> states) {
    Map<MemberId, MemberModel<?>> peers = new TreeMap<>();
    SortedMap<MemberId, Tail> tails = new TreeMap<>();
    for (int rank = 0; rank < states.size(); rank++) {
      if (states.get(rank) >= 0) {
        MemberModel<?> peer = lives.get(rank).replay(states.get(rank));
        peers.put(peer.id(), peer);
        tails.put(peer.id(), peer.tail());
      }
    }
    try {
      Cut cut = CutBuilder.whole(scenario.view(), tails);
      for (MemberModel<?> peer : peers.values()) {
        peer.end(cut, peers::get);
      }
    } catch (Invariant.Broken | IllegalStateException | IndexOutOfBoundsException | NullPointerException broken) {
      return new End(new int[0], "NoBrokenInvariant: " + broken + " in the cut of " + tails);
    }
    return check(new ArrayList<>(peers.values()), states);
  }

  private End check(List<MemberModel<?>> peers, List<Integer> states) {
    int[] all = peers.getFirst().delivered();
    for (MemberModel<?> peer : peers) {
      int[] delivered = peer.delivered();
      if (delivered.length != all.length || !DeliveryProperties.isPrefix(delivered, all)) {
        return new End(
            all,
            "VirtualSynchrony: " + DeliveryProperties.describe(all) + " and " + DeliveryProperties.describe(delivered));
      }
    }
    for (int rank = 0; rank < states.size(); rank++) {
      int sent = states.get(rank) < 0 ? 0 : lives.get(rank).get(states.get(rank)).sent();
      int found = 0;
      for (int delivery : all) {
        found += MemberModel.sender(delivery) == rank ? 1 : 0;
      }
      if (found < sent) {
        return new End(all, "NothingLost: member " + rank + " sent " + sent + ": " + DeliveryProperties.describe(all));
      }
    }
    return new End(all, DeliveryProperties.violation(all));
  }

  /// What must hold of sequences of deliveries.
  static final class DeliveryProperties {
    private DeliveryProperties() {}

    /// Each sender's batches in order, none twice, none left out.
    ///
    /// @return what is wrong, or null
    static @Nullable String violation(int[] delivered) {
      int[] next = new int[BoundedModel.MEMBERS_MAX];
      for (int delivery : delivered) {
        int expected = next[MemberModel.sender(delivery)]++;
        if (MemberModel.number(delivery) != expected) {
          String what = MemberModel.number(delivery) < expected ? "Integrity" : "FifoOrder";
          return what + ": " + describe(delivered);
        }
      }
      return null;
    }

    static boolean isPrefix(int[] shorter, int[] longer) {
      return shorter.length <= longer.length && Arrays.equals(shorter, 0, shorter.length, longer, 0, shorter.length);
    }

    static boolean contradict(int[] one, int[] other) {
      int common = Math.min(one.length, other.length);
      return !Arrays.equals(one, 0, common, other, 0, common);
    }

    static String describe(int[] delivered) {
      return Arrays.stream(delivered)
          .mapToObj(delivery -> (char) ('a' + MemberModel.sender(delivery)) + "" + MemberModel.number(delivery))
          .collect(Collectors.joining(" ", "[", "]"));
    }
  }
}
