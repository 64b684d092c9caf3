package org.tutti;

/// How a multicast is ordered relative to the other multicasts of its group. Messages of all services go through one
/// group side by side; each names its own ([SendOptions]). What each promises, and what it does not, is in
/// `docs/guarantees.md`.
///
/// All but [#TOTAL] are *weak*: a message is delivered as soon as its service allows, usually on arrival, before it has
/// a place in the history, and without a position. Members that go on together deliver the same ones; a member that
/// crashes or is cut off may have delivered some that the others never do.
public enum Service {
  /// Delivered on arrival, in any order.
  UNORDERED,
  /// A sender's messages of this service are delivered in the order in which it multicast them.
  FIFO,
  /// Nobody delivers a message before those [#CAUSAL] and [#TOTAL] ones that its sender had delivered, or multicast,
  /// before it.
  CAUSAL,
  /// All members deliver these messages in one order, under the group's [Guarantee]; the order respects causality in
  /// the sense of [#CAUSAL].
  TOTAL
}
