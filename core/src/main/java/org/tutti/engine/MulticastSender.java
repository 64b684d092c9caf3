package org.tutti.engine;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.order.SubsetMulticasts;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Packer;

/// What this member multicasts: packs it, sends it in the history or the branch that goes on, and sends it again in a
/// later primary view when the history does not contain it.
final class MulticastSender {
  private final Packer packer;
  private final Deliveries deliveries;
  private final LastHistory history;
  private final Branch branch;
  private final GroupUser user;
  private final @Nullable DomainMember domain;
  private final SubsetQueue subsets;
  private final Counters counters;
  private final OrderingSwitch switching = new OrderingSwitch();
  private boolean positioned; // the history's position is known, so this member may multicast
  private @Nullable Ordering told;

  MulticastSender(
      MemberId self,
      MemberConfig config,
      Deliveries deliveries,
      LastHistory history,
      Branch branch,
      GroupUser user,
      @Nullable DomainMember domain,
      Counters counters) {
    this.packer = new Packer(self, config.batchBytesMax(), config.batchMessagesMax(), config.packing());
    this.deliveries = deliveries;
    this.history = history;
    this.branch = branch;
    this.user = user;
    this.domain = domain;
    this.counters = counters;
    this.subsets = new SubsetQueue(self, config, deliveries, user);
  }

  SubsetMulticasts.User subsets() {
    return subsets;
  }

  /// Whether this member knows where the history stands.
  void position(boolean known) {
    positioned = known;
  }

  void add(long now, MessageBlock block) {
    if (domain != null) {
      domain.multicast(() -> packer.add(now, block));
    } else if (subsets.isHolding()) {
      subsets.add(block);
    } else {
      packer.add(now, block);
    }
  }

  /// A multicast to some members.
  void add(long number, ByteBuffer payload, List<MemberId> destinations) {
    if (domain == null) {
      subsets.add(number, payload, destinations);
    } else {
      user.subsetDecided(number, SubsetOutcome.NOT_ORDERED);
    }
  }

  /// A history begins.
  void begin(View next) {
    subsets.begin(next);
  }

  void switchTo(Ordering to) {
    switching.want(to);
  }

  /// Sends what is due.
  void send(long now) {
    packer.delivered(now, deliveries.ownMessages() + branch.ownMessages());
    PrimaryHistory current = history.acting();
    if (current != null) {
      send(now, current);
    } else if (branch.isSending()) {
      sendInBranch(now);
    }
  }

  private void sendInBranch(long now) {
    Batch batch = packer.next(now, branch.undecided(), branch.sentNext());
    while (batch != null) {
      branch.send(batch);
      batch = packer.next(now, branch.undecided(), branch.sentNext());
    }
  }

  private void send(long now, PrimaryHistory current) {
    if (!positioned) {
      return;
    }
    do {
      for (Batch batch = next(now, current); batch != null; batch = next(now, current)) {
        counters.count(Count.BATCHES_SENT);
        deliveries.sent(batch);
        current.send(batch);
      }
    } while (subsets.next(now, current, packer));
  }

  private @Nullable Batch next(long now, PrimaryHistory current) {
    Batch ask = switching.next(current.ordering(), deliveries.ownPlacedNext(), packer);
    return ask != null ? ask : packer.next(now, deliveries.undecided());
  }

  /// Batches of this member that the history does not contain come again, in the same order and under the same numbers.
  void resend() {
    if (history.isActive() && positioned) {
      deliveries.unplaced().forEach(Objects.requireNonNull(history.current())::resend);
    }
  }

  /// Tells the user of orderings that have come into force; nobody asks a branch for another one, unless it lies.
  void tellOrdering() {
    PrimaryHistory current = history.acting();
    PrimaryHistory inBranch = branch.acting();
    if (current != null) {
      current.orderings(this::tell);
    } else if (inBranch != null) {
      inBranch.orderings(_ -> {});
    }
  }

  private void tell(Ordering now) {
    if (switching.isFulfilled(now) || now != told) {
      told = now;
      user.ordering(now);
    }
  }

  long deadline() {
    return (history.isActive() && positioned) || branch.isSending() ? packer.deadline() : Long.MAX_VALUE;
  }

  /// Whether something of this member has no place yet.
  boolean isUnderWay() {
    return deliveries.undecided() > 0 || branch.undecided() > 0 || !packer.isEmpty() || subsets.isHolding();
  }

  /// Whether nothing of this member waits for anything.
  boolean isOver() {
    return !isUnderWay() && (domain == null || domain.isReleased());
  }

  void check() {
    packer.check();
    subsets.check();
  }
}
