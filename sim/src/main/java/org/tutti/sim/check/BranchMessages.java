package org.tutti.sim.check;

import java.util.BitSet;

/// Which of each member's multicasts were delivered in branches, as the member was told.
final class BranchMessages {
  private static final class Sender {
    final BitSet inBranches = new BitSet();
    long decided; // in the history
    long told; // the number behind the last one, not counting those in branches, that is or was undecided

    /// The number of the oldest message that was not sent in an earlier view.
    int next() {
      return (int) Math.max(decided, told) + inBranches.cardinality();
    }
  }

  private final Sender[] senders;

  /// All of a history.
  static BranchMessages of(History history) {
    var all = new BranchMessages(history.members().size());
    history.events().forEach(all::add);
    return all;
  }

  /// Before anything has happened.
  BranchMessages(int members) {
    senders = new Sender[members];
    for (int i = 0; i < senders.length; i++) {
      senders[i] = new Sender();
    }
  }

  /// Goes on.
  void add(HistoryEvent event) {
    Sender sender = senders[event.member()];
    switch (event) {
      case HistoryEvent.Decided decided -> sender.decided += decided.messages();
      case HistoryEvent.Undecided undecided -> sender.told = sender.decided + undecided.messages();
      case HistoryEvent.DecidedInBranch decided -> {
        int first = sender.next();
        sender.inBranches.set(first, first + decided.messages());
      }
      default -> {}
    }
  }

  /// Whether a member's multicast went to a branch.
  ///
  /// @param member its ordinal
  /// @param number counts the member's multicasts from 0
  boolean contains(int member, int number) {
    return senders[member].inBranches.get(number);
  }

  /// The number of a member's oldest multicast that was not sent in an earlier view.
  int next(int member) {
    return senders[member].next();
  }

  /// How many of a member's multicasts are undecided.
  int undecided(int member) {
    return (int) Math.max(0, senders[member].told - senders[member].decided);
  }
}
