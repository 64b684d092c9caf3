package org.tutti.history;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.dissemination.Disseminator;
import org.tutti.domain.DomainMember;
import org.tutti.effect.Count;
import org.tutti.effect.Counters;
import org.tutti.order.SubsetMulticasts;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Packer;
import org.tutti.user.GroupUser;

/// What this member multicasts: packs it, sends it in the history or the branch that goes on, and sends it again in a
/// later primary view when the history does not contain it.
public final class MulticastSender {
  private final Packer packer;
  private final SenderLedger ledger;
  private final PrimaryHistory history;
  private final Branch branch;
  private final GroupUser user;
  private final @Nullable DomainMember domain;
  private final SubsetQueue subsets;
  private final Counters counters;
  private final OrderingSwitch switching = new OrderingSwitch();
  private long waitsUntil = Long.MIN_VALUE; // for a line to take more
  private boolean positioned; // the history's position is known, so this member may multicast
  private @Nullable Ordering told;

  /// Begins with nothing to send.
  ///
  /// @param config     what this member decides for itself
  /// @param ledger     of what it multicasts
  /// @param deliveries has room for multicasts to some members, or not
  /// @param history    where it sends in primary views
  /// @param branch     where it sends in others
  /// @param user       told of orderings and of multicasts to some members
  /// @param domain     lets its multicasts pass in turn, or null
  /// @param counters   count batches
  public MulticastSender(
      MemberConfig config,
      SenderLedger ledger,
      Deliveries deliveries,
      PrimaryHistory history,
      Branch branch,
      GroupUser user,
      @Nullable DomainMember domain,
      Counters counters) {
    this.packer = new Packer(ledger.self(), config.batchBytesMax(), config.batchMessagesMax(), config.packing());
    this.ledger = ledger;
    this.history = history;
    this.branch = branch;
    this.user = user;
    this.domain = domain;
    this.counters = counters;
    this.subsets = new SubsetQueue(config, ledger, deliveries, user);
  }

  /// Who is told of multicasts to some members.
  ///
  /// @return the queue of those that this member sends
  public SubsetMulticasts.User subsets() {
    return subsets;
  }

  /// Whether this member knows where the history stands.
  ///
  /// @param known whether it does, and so may multicast
  public void position(boolean known) {
    positioned = known;
  }

  /// The application multicasts to all.
  ///
  /// @param now   the time
  /// @param block its messages
  public void add(long now, MessageBlock block) {
    if (domain != null) {
      domain.multicast(() -> packer.add(now, block));
    } else if (subsets.isHolding()) {
      subsets.add(block);
    } else {
      packer.add(now, block);
    }
  }

  /// The application multicasts to some members.
  ///
  /// @param number       counts these
  /// @param payload      the message
  /// @param destinations to whom
  public void add(long number, ByteBuffer payload, List<MemberId> destinations) {
    if (domain == null) {
      subsets.add(number, payload, destinations);
    } else {
      user.subsetDecided(number, GroupUser.SubsetOutcome.NOT_ORDERED);
    }
  }

  /// A history begins.
  ///
  /// @param next its view
  public void begin(View next) {
    subsets.begin(next);
  }

  /// The application wants another ordering.
  ///
  /// @param to which
  public void switchTo(Ordering to) {
    switching.want(to);
  }

  /// Sends what is due.
  ///
  /// @param now the time
  public void send(long now) {
    waitsUntil = Long.MIN_VALUE;
    packer.delivered(now, ledger.messages() + branch.ownMessages());
    ViewHistory current = history.acting();
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

  private void send(long now, ViewHistory current) {
    if (!positioned) {
      return;
    }
    do {
      for (Batch batch = next(now, current); batch != null; batch = next(now, current)) {
        counters.count(Count.BATCHES_SENT);
        ledger.sent(batch);
        current.send(batch);
      }
    } while (subsets.next(now, current, packer));
  }

  private @Nullable Batch next(long now, ViewHistory current) {
    Batch ask = switching.next(current.ordering(), ledger, packer);
    if (ask != null || packer.isEmpty()) {
      return ask;
    }
    if (!current.isReady()) {
      waitsUntil = now + Disseminator.RETRY_NANOS;
      return null;
    }
    return packer.next(now, ledger.undecided(), ledger.sentNext());
  }

  /// Batches of this member that the history does not contain come again, in the same order and under the same numbers.
  public void resend() {
    if (history.isActive() && positioned) {
      ledger.unplaced().forEach(Objects.requireNonNull(history.current())::resend);
    }
  }

  /// Tells the user of orderings that have come into force; nobody asks a branch for another one, unless it lies.
  public void tellOrdering() {
    ViewHistory current = history.acting();
    ViewHistory inBranch = branch.acting();
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

  /// When something is due even if nothing happens.
  ///
  /// @return nanoseconds
  public long deadline() {
    boolean sends = history.isActive() && positioned || branch.isSending();
    return sends ? Math.max(waitsUntil, packer.deadline()) : Long.MAX_VALUE;
  }

  /// Whether something of this member has no place yet.
  ///
  /// @return whether it does
  public boolean isUnderWay() {
    return ledger.undecided() > 0 || branch.undecided() > 0 || !packer.isEmpty() || subsets.isHolding();
  }

  /// Whether nothing of this member waits for anything.
  ///
  /// @return whether it could leave
  public boolean isOver() {
    return !isUnderWay() && (domain == null || domain.isReleased());
  }

  /// Fails when an invariant does not hold.
  public void check() {
    packer.check();
    subsets.check();
  }

  /// This member's wish for another ordering: asks the group until it is so, or until the member has another wish.
  ///
  /// A switch that stands in the history's end, appended by a view change, has no effect: then it is asked for again.
  private static final class OrderingSwitch {
    private @Nullable Ordering wanted;
    private long askedIn = -1; // the number of the batch that asks, or -1

    void want(Ordering ordering) {
      wanted = ordering;
      askedIn = -1;
    }

    /// Looks at what is so.
    ///
    /// @param now    the ordering in force
    /// @param ledger knows what this member has sent, and what of that the history contains
    /// @param packer makes the batch
    /// @return a batch to send, or null when nothing is to be asked for
    @Nullable Batch next(Ordering now, SenderLedger ledger, Packer packer) {
      if (wanted == null || now == wanted || ledger.placedNext() <= askedIn) {
        return null;
      }
      Batch ask = packer.toSwitch(ledger.sentNext(), wanted);
      askedIn = ask.seq();
      return ask;
    }

    /// Whether the wish has come true; it is forgotten then.
    boolean isFulfilled(Ordering now) {
      boolean fulfilled = now == wanted;
      if (fulfilled) {
        wanted = null;
      }
      return fulfilled;
    }
  }
}
