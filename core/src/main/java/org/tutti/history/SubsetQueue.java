package org.tutti.history;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.order.SubsetMulticasts;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Packer;
import org.tutti.user.GroupUser;
import org.tutti.wire.WireWriter;

/// This member's multicasts to some members on their way into the view, one after the other, and what came of them.
///
/// A subset multicast is sent when all that this member multicast before is delivered here, and what it multicasts
/// later waits until every destination holds the subset multicast; so its multicasts are delivered in its order,
/// whatever a view change leaves out. Successive ones for the same destinations travel together.
final class SubsetQueue implements SubsetMulticasts.User {
  private sealed interface Waiting {
    record ToAll(MessageBlock block) implements Waiting {}

    record ToSome(long number, ByteBuffer payload, List<MemberId> destinations) implements Waiting {}
  }

  /// What is on its way, or is to be sent again.
  ///
  /// @param batch        the messages
  /// @param destinations who is meant
  /// @param last         to whom of them it was sent the last time; none before the first time
  /// @param again        whether it was left out of a view's end
  private record Sent(Batch batch, List<MemberId> destinations, List<MemberId> last, boolean again) {}

  private final MemberConfig config;
  private final SenderLedger ledger;
  private final Deliveries deliveries;
  private final GroupUser user;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private @Nullable Sent sent;
  private boolean out; // sent in the history that goes on, and its fate is open

  SubsetQueue(MemberConfig config, SenderLedger ledger, Deliveries deliveries, GroupUser user) {
    this.ledger = ledger;
    this.config = config;
    this.deliveries = deliveries;
    this.user = user;
  }

  /// Whether what is multicast now must wait here.
  boolean isHolding() {
    return sent != null || !waiting.isEmpty();
  }

  void add(MessageBlock block) {
    waiting.add(new Waiting.ToAll(block));
  }

  void add(long number, ByteBuffer payload, List<MemberId> destinations) {
    waiting.add(new Waiting.ToSome(number, payload, destinations));
  }

  /// Goes on if the time has come.
  ///
  /// @return whether there is more to do now
  boolean next(long now, ViewHistory current, Packer packer) {
    if (out || !isHolding()) {
      return false;
    }
    if (sent == null && waiting.getFirst() instanceof Waiting.ToAll) {
      while (waiting.peekFirst() instanceof Waiting.ToAll(MessageBlock block)) {
        packer.add(now, block);
        waiting.remove();
      }
      return true;
    }
    if (!packer.isEmpty() || ledger.undecided() > 0) {
      return false;
    }
    Sent next = sent == null ? pack() : sent;
    sent = next;
    GroupUser.SubsetOutcome problem = send(next, current);
    if (problem == null) {
      out = true;
      return false;
    }
    finish(problem);
    return true;
  }

  private GroupUser.@Nullable SubsetOutcome send(Sent next, ViewHistory current) {
    View view = current.view();
    List<Integer> ranks = next.destinations.stream().map(view::rankOf).filter(rank -> rank >= 0).sorted().toList();
    SubsetMulticasts subsets = current.subsets();
    if (subsets == null || !subsets.isOpen()) {
      return GroupUser.SubsetOutcome.NOT_ORDERED;
    }
    if (ranks.size() < next.destinations.size() && !next.again) {
      return GroupUser.SubsetOutcome.NOT_MEMBERS;
    }
    if (ranks.isEmpty()) {
      return GroupUser.SubsetOutcome.GONE;
    }
    List<MemberId> to = ranks.stream().map(view.members()::get).toList();
    sent = new Sent(next.batch, next.destinations, to, next.again);
    subsets.send(ranks, next.batch);
    return null;
  }

  private Sent pack() {
    var payload = new WireWriter();
    List<MemberId> destinations = List.of();
    long last = 0;
    int count = 0;
    while (waiting.peekFirst() instanceof Waiting.ToSome(long number, ByteBuffer message, List<MemberId> to)) {
      boolean fits = payload.length() + message.remaining() <= config.batchBytesMax();
      if (count > 0 && !(to.equals(destinations) && fits && count < config.batchMessagesMax())) {
        break;
      }
      waiting.remove();
      payload.bytes(message);
      destinations = to;
      last = number;
      count++;
    }
    var batch = new Batch(ledger.self(), last, Batch.Kind.TOTAL, 0, CausalPast.NONE, count, payload.copy());
    return new Sent(batch, destinations, List.of(), false);
  }

  private void finish(GroupUser.SubsetOutcome fate) {
    Sent done = sent;
    sent = null;
    out = false;
    if (done != null) {
      for (long number = done.batch.seq() - done.batch.count() + 1; number <= done.batch.seq(); number++) {
        user.subsetDecided(number, fate);
      }
    }
  }

  /// A history begins. What is still on its way ended with one whose end this member has not seen. What was left out of
  /// that end, while none of those took part to whom it was sent there, they may have delivered there.
  void begin(View next) {
    Sent left = sent;
    if (out) {
      finish(GroupUser.SubsetOutcome.UNKNOWN);
    } else if (left != null && left.again && left.last.stream().noneMatch(next::contains)) {
      boolean gone = left.destinations.stream().noneMatch(next::contains);
      finish(gone ? GroupUser.SubsetOutcome.GONE : GroupUser.SubsetOutcome.UNKNOWN);
    }
  }

  @Override
  public boolean hasRoom() {
    return deliveries.hasRoomForSubsets();
  }

  @Override
  public void deliver(Batch subset) {
    deliveries.deliverSubset(subset);
  }

  @Override
  public void held(long number) {
    finish(GroupUser.SubsetOutcome.HELD);
  }

  @Override
  public void refused(long number) {
    finish(GroupUser.SubsetOutcome.NOT_ORDERED);
  }

  @Override
  public void leftOut(long number) {
    Sent left = sent;
    if (left != null) {
      sent = new Sent(left.batch, left.destinations, left.last, true);
    }
    out = false;
  }

  void check() {
    Invariant.check(!out || sent != null, "a subset multicast that is out was sent");
    Invariant.check(
        !out || !Objects.requireNonNull(sent).last.isEmpty(), "a subset multicast that is out has a destination");
  }
}
