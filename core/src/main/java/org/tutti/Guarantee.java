package org.tutti;

/// When an ordered message may be delivered.
public enum Guarantee {
  /// Uniform: only once a quorum of the view holds it and everything before it, so that whatever anyone
  /// delivered, even a member that crashed right after, is in every later primary view. The default.
  UNIFORM,
  /// Agreed: as soon as its place is known. Members that survive agree; one that crashes or is cut off may have
  /// delivered messages that nobody else does.
  AGREED
}
