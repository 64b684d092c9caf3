package org.tutti.sim.exhaustive;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What must hold of sequences of deliveries.
final class DeliveryProperties {
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
