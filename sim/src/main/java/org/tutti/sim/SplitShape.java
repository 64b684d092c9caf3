package org.tutti.sim;

import java.util.Locale;

/// What a split looks like, of which a campaign of splits draws one after the other.
public enum SplitShape {
  /// Two sides that are as large as each other, or almost.
  HALVES,
  /// Two sides, of which one is smaller.
  MINORITY,
  /// One node alone.
  ISOLATED,
  /// Every node alone.
  EVERYONE_ALONE,
  /// Frames pass in one direction only.
  ONE_WAY,
  /// Two sides, and one node that both of them reach.
  BRIDGE,
  /// Each node reaches only its two neighbours.
  RING,
  /// A split that comes and goes too quickly for a view each time.
  FLAPPING,
  /// Two sides, of which one splits again before all meet.
  NESTED,
  /// A split that strikes in the moment in which the merge of one before it is agreed.
  DURING_MERGE;

  /// The name in a table.
  ///
  /// @return lower case with hyphens, such as `one-way`
  public String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// How many nodes it takes at least.
  int nodesMin() {
    return switch (this) {
      case HALVES, ISOLATED, EVERYONE_ALONE, ONE_WAY, FLAPPING, DURING_MERGE -> 2;
      case MINORITY, BRIDGE, NESTED -> 3;
      case RING -> 4;
    };
  }

  /// The kind of fault that it counts as; a run without that kind is without this shape.
  FaultKind kind() {
    return switch (this) {
      case ONE_WAY -> FaultKind.ONE_WAY;
      case FLAPPING -> FaultKind.FLAPPING;
      default -> FaultKind.PARTITION;
    };
  }
}
