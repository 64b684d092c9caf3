package org.tutti.sim;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.MemberConfig;
import org.tutti.membership.Terms;
import org.tutti.sim.check.Content;
import org.tutti.sim.check.HistoryEvent;

/// What an application makes of its state on its place's disk, in the way of a database that keeps the position in the
/// same transaction: now and then after a place, always after it has got a state. Never while it has delivered messages
/// that have no place yet: a position does not tell of those.
final class DurableState {
  private static final double SHARE = 0.15; // of places after which the state is made durable

  private final @Nullable SimulatedDisk disk;
  private final SplittableRandom random;
  private final Set<Content> early = new HashSet<>(); // delivered, and without a place; looked up only
  private boolean begun;
  private long recalledNext; // behind what the state contained at the beginning

  DurableState(@Nullable SimulatedDisk disk, SplittableRandom random) {
    this.disk = disk;
    this.random = random;
  }

  /// Says where the state stands; at the beginning, where there is none and it has to be said.
  MemberConfig configured(Terms terms) {
    MemberConfig config = terms.member();
    HistoryEvent.Summary summary = summary();
    if (summary != null) {
      return config.toBuilder().position(summary.position()).build();
    }
    boolean needed = terms.durability() != Durability.NONE && terms.group().stateTransfer();
    return needed ? config.toBuilder().position(0).build() : config;
  }

  HistoryEvent.@Nullable Summary summary() {
    SimulatedDisk.Saved saved = disk == null ? null : disk.saved();
    return saved == null ? null : saved.summary();
  }

  /// Deliveries begin: whether they go on from the durable state.
  SimulatedDisk.@Nullable Saved recall(long position) {
    SimulatedDisk.Saved saved = disk == null ? null : disk.saved();
    boolean first = !begun;
    begun = true;
    if (saved == null || !first || saved.summary().position() != position) {
      recalledNext = 0;
      return null;
    }
    recalledNext = saved.summary().index();
    return saved;
  }

  /// Whether the state contained a place at the beginning: one without positions, by which it could be told.
  boolean contains(long index) {
    return index < recalledNext;
  }

  void early(Content batch) {
    if (disk != null) {
      early.add(batch);
    }
  }

  /// A batch has its place.
  ///
  /// @return whether the state is to be made durable now
  boolean placed(long index, Content batch) {
    early.remove(batch);
    return disk != null && early.isEmpty() && index >= recalledNext && random.nextDouble() < SHARE;
  }

  /// The application begins with an empty state: what it has kept on its disk, perhaps of places that never became
  /// history, goes.
  void restart() {
    begun = true;
    recalledNext = 0;
    if (disk != null) {
      disk.save(null);
    }
  }

  /// The state is another one, which is to be saved.
  void replaced() {
    restart();
    early.clear();
  }

  void save(int life, HistoryEvent.Summary summary, boolean whole) {
    if (disk != null) {
      disk.save(new SimulatedDisk.Saved(life, summary, whole));
    }
  }

  boolean isKept() {
    return disk != null;
  }
}
