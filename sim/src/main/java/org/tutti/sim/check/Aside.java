package org.tutti.sim.check;

/// Which multicast to some members something is about.
///
/// @param sender its sender's ordinal
/// @param number counts the sender's, from 1
record Aside(int sender, long number) {
  static Aside of(Happening.AsideSubmitted submitted) {
    return new Aside(submitted.member(), submitted.number());
  }

  static Aside of(Happening.AsideDelivered delivered) {
    return new Aside(delivered.sender(), delivered.number());
  }

  String in(History history) {
    return "aside " + number + " of " + history.name(sender);
  }
}
