package org.tutti.sim;

/// Of what kind the runs are in which a planted bug is looked for. What is rare is looked for where it is less rare.
public enum RunKind {
  /// Whatever the seeds draw.
  ANY,
  /// The network is split again and again.
  SPLITS,
  /// The same, and nodes are in overlapping groups of one domain.
  OVERLAPS,
  /// A static majority of all nodes goes on.
  STATIC_MAJORITY,
  /// The same of three nodes, and the network is cut at one announcement after the other, so that one of two goes on
  /// with the third.
  LONELY_ANNOUNCEMENTS,
  /// Some members are observers.
  OBSERVED,
  /// A service is replicated on all nodes, and has clients.
  REPLICA,
  /// The same, and the network is split again and again.
  SPLIT_REPLICAS,
  /// Members of one more group call each other.
  CALLS,
  /// Processes communicate without a group: another run, which has no plan.
  IPC,
  /// Members have settings of their own, and some know no contact.
  MIXED,
  /// Lines are so thin that a long message takes longer than an attempt at a view, and nobody can be left behind.
  THIN_LINES,
  /// An operator gives up all members but one, and forces that one to be primary.
  FORCED,
  /// Nodes run builds of other versions of the protocol, and are upgraded.
  UPGRADES,
  /// Slow applications spill what they do not take, and come back from their disks.
  SPILLING;

  Plan of(Plan drawn) {
    return switch (this) {
      case ANY, IPC -> drawn;
      case SPLITS -> drawn.within(Limits.NONE.about(Limits.Theme.PARTITIONS));
      case STATIC_MAJORITY -> drawn.within(Limits.NONE.about(Limits.Theme.STATIC_MAJORITY));
      case LONELY_ANNOUNCEMENTS -> drawn.within(Limits.NONE.about(Limits.Theme.STATIC_MAJORITY)).cutAtAnnouncements();
      case OBSERVED -> drawn.within(Limits.NONE.about(Limits.Theme.OBSERVERS));
      case REPLICA -> drawn.within(Limits.NONE.about(Limits.Theme.REPLICA));
      case CALLS -> drawn.within(Limits.NONE.about(Limits.Theme.CALLS));
      case SPLIT_REPLICAS -> drawn.within(Limits.NONE.about(Limits.Theme.REPLICA).about(Limits.Theme.PARTITIONS));
      case FORCED -> drawn.within(Limits.NONE.about(Limits.Theme.FORCED));
      case UPGRADES -> drawn.within(Limits.NONE.about(Limits.Theme.UPGRADES));
      case THIN_LINES -> drawn.onThinLines();
      case SPILLING -> drawn.spilling();
      case MIXED -> Plan.draw(drawn.seed());
      case OVERLAPS -> drawn.overlapping().within(Limits.NONE.about(Limits.Theme.PARTITIONS));
    };
  }
}
