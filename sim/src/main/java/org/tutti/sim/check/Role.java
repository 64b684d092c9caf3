package org.tutti.sim.check;

/// As what a life takes part in a group, from its beginning to its end.
public enum Role {
  /// It counts.
  VOTER,
  /// It asked to observe.
  OBSERVER,
  /// It joined a group with state transfer without that, and observes by the group's rule.
  STATELESS
}
