package org.tutti.sim;

import java.util.Locale;

/// What can go wrong in a run. Each kind can be left out of a replay, `--without loss,crash`.
public enum FaultKind {
  /// A frame disappears.
  LOSS,
  /// A frame arrives twice or more often.
  DUPLICATION,
  /// Frames of one link overtake each other.
  REORDERING,
  /// A frame takes far longer than its fellows.
  DELAY,
  /// Bits of a frame flip, or its end is missing; the transport then says so in its traits.
  CORRUPTION,
  /// A transport refuses a frame and says later that it has room again.
  REFUSAL,
  /// A link stands still until its capacity is used up, then moves on.
  CLOG,
  /// Groups of nodes cannot reach each other: halves, one alone, a ring, two sides with a bridge.
  PARTITION,
  /// Frames pass in one direction only.
  ONE_WAY,
  /// Links come and go too quickly for anyone to agree on anything.
  FLAPPING,
  /// A process disappears between two steps.
  CRASH,
  /// A process disappears right after its k-th frame from now, often while views change.
  CRASH_AT_FRAME,
  /// The donor of a state disappears while it gives it.
  DONOR_CRASH,
  /// A crashed process comes back as a new incarnation.
  RESTART,
  /// A process stands still, its inputs pile up, time passes.
  PAUSE,
  /// A node's clock runs faster or slower than the others'.
  DRIFT,
  /// A node is told that a living node has crashed.
  SUSPICION,
  /// An application consumes late.
  SLOW_CONSUMER,
  /// An application fails to write its state, or takes long for it.
  STATE_TROUBLE,
  /// Nodes join while the group is at work, several at once.
  LATE_JOIN,
  /// A member leaves in an orderly way.
  LEAVE,
  /// A message is many frames long.
  LARGE_MESSAGE,
  /// The group is asked to change its ordering, by several members at once now and then.
  SWITCH,
  /// What a node sends arrives late at some others, too shortly for a suspicion: an ordering sees different things.
  LAG,
  /// All processes end at about the same time, perhaps with their machines, and come back in any order.
  BLACKOUT,
  /// The power fails in the middle of a commit to a disk.
  TORN_WRITE,
  /// A process comes back without its disk.
  DISK_LOSS,
  /// Two processes at different addresses are started with one name, the second again and again.
  NAMESAKE,
  /// A disk is full: it refuses what is written, and the process ends.
  DISK_FULL,
  /// A member hears nobody while all hear it: the senior one, one that announces a view, one that gives its state.
  DEAF,
  /// Nobody hears a member that hears all, in the same roles.
  MUTE,
  /// After a cut the links come back one by one, some of them late.
  SLOW_HEAL,
  /// An operator gives up all members but one, and forces that one to be primary, whether or not the others live.
  FORCE,
  /// Nodes run builds that speak other versions of the protocol, and come back with newer ones, or with older ones.
  UPGRADE;

  /// The name on the command line.
  ///
  /// @return lower case with hyphens, such as `one-way`
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Finds a kind by its name on the command line.
  ///
  /// @param option such as `one-way`
  /// @return the kind
  /// @throws IllegalArgumentException when there is none
  public static FaultKind of(String option) {
    for (FaultKind kind : values()) {
      if (kind.option().equals(option)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("no such kind of fault: " + option);
  }
}
