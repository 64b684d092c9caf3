package org.tutti;

/// Who decides the order of a group's multicasts. All give the same [Guarantee]; they differ in steps, messages and in
/// what they need from whom. A group runs one at a time and can switch.
public enum Ordering {
  /// A fixed sequencer (NewTop's asymmetric order): the most senior member numbers. Least messages, two steps. The
  /// default.
  SEQUENCER,
  /// Skeen's algorithm: receivers propose timestamps, the sender decides. Three steps, nobody in the middle.
  SKEEN,
  /// A sequence of consensus instances after Chandra and Toueg: goes on with any majority, without a view change.
  CONSENSUS,
  /// Lamport clocks and messages from everybody (NewTop's symmetric order): every member orders by itself.
  SYMMETRIC
}
