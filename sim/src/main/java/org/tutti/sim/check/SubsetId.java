package org.tutti.sim.check;

/// Which multicast to some members something is about.
///
/// @param sender its sender's ordinal
/// @param number counts the sender's, from 1
record SubsetId(int sender, long number) {
  static SubsetId of(HistoryEvent.SubsetSubmitted submitted) {
    return new SubsetId(submitted.member(), submitted.number());
  }

  static SubsetId of(HistoryEvent.SubsetDelivered delivered) {
    return new SubsetId(delivered.sender(), delivered.number());
  }

  String in(History history) {
    return "subset multicast " + number + " of " + history.name(sender);
  }
}
