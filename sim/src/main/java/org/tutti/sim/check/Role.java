package org.tutti.sim.check;

/// As what a life takes part in a group, from its beginning to its end.
public enum Role {
  /// It counts.
  VOTER,
  /// It asked to observe.
  OBSERVER,
  /// It asked to observe, and does without the state.
  STATELESS,
  /// It expects another group than there is, and is refused.
  MISTAKEN,
  /// It asks to vote, and its certificate is only for observers, at which it does not look: the others refuse it.
  BARRED
}
