package org.tutti;

/// Who decides the order of a group's multicasts. All give the same [Guarantee]; they differ in steps, messages and in
/// what they need from whom. A group runs one at a time and can switch (N2).
public enum Ordering {
  /// A fixed sequencer (H3, N1's O1): the most senior member numbers. Least messages, two steps. The default.
  SEQUENCER,
  /// Skeen's algorithm (H4): receivers propose timestamps, the sender decides. Three steps, nobody in the middle.
  SKEEN,
  /// A sequence of consensus instances after Chandra and Toueg (H5): goes on with any majority, without a view change.
  CONSENSUS,
  /// Lamport clocks and messages from everybody (N1's O2): every member orders by itself.
  SYMMETRIC
}
