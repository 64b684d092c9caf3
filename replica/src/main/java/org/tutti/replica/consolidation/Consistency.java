package org.tutti.replica.consolidation;

/// How the replies of one call have to agree with each other. They are compared by `equals`.
public enum Consistency {
  /// They need not agree.
  ANY,

  /// No two of them differ.
  ALL_EQUAL,

  /// No two of them are equal: for members that each answer for a part of their own.
  ALL_DIFFERENT,

  /// More than half of those that have come are equal; the outcome chooses these.
  MAJORITY_EQUAL
}
