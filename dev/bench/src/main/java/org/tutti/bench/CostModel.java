package org.tutti.bench;

import org.tutti.Ordering;

/// What a multicast should cost when nothing fails, by formula: table 1 of Hirt's thesis (*Atomic Broadcast on various
/// middlewares*, 1998), and our own formula for the symmetric ordering, which the thesis does not have.
///
/// The thesis counts a multicast whose sender is neither sequencer nor coordinator. When it is, what the sequencer or
/// coordinator says first goes out together with the message: one step less, and as many messages.
///
/// One deviation: of two members the most senior one alone is a quorum (dynamic linear voting), so a coordinator of two
/// decides as it proposes, which takes two steps less; the thesis asks a majority, which of two is both.
///
/// @param steps    communication steps until every member knows the place
/// @param messages protocol messages, each counted once per destination
/// @param formula  the same with n
record CostModel(int steps, int messages, String formula) {
  /// The formula's value.
  ///
  /// @param ordering who decides the order
  /// @param n        the number of members
  /// @param senior   whether the most senior member multicasts, who is sequencer and coordinator
  static CostModel of(Ordering ordering, int n, boolean senior) {
    int less = senior ? 1 : 0;
    int agreement = n == 2 ? 0 : 2; // from the coordinator's proposal to its decision
    return switch (ordering) {
      case SEQUENCER -> new CostModel(2 - less, 2 * (n - 1), "2(n-1)");
      case SKEEN -> new CostModel(3, 3 * (n - 1), "3(n-1)");
      case CONSENSUS -> new CostModel(2 + agreement - less, 4 * (n - 1), "4(n-1)");
      case SYMMETRIC -> new CostModel(2, n * (n - 1), "n(n-1)");
    };
  }

  /// The formula's value for a batch that goes through the most senior member, from another one: as many messages. The
  /// most senior member is sequencer and coordinator, and gets the batch as early as with a star; what all others have
  /// to say about it comes a step later.
  ///
  /// @param ordering who decides the order
  /// @param n        the number of members; two need no relay
  static CostModel relayed(Ordering ordering, int n) {
    CostModel star = of(ordering, n, false);
    boolean all = ordering == Ordering.SKEEN || ordering == Ordering.SYMMETRIC;
    int more = n > 2 && all ? 1 : 0;
    return new CostModel(star.steps + more, star.messages, star.formula);
  }
}
