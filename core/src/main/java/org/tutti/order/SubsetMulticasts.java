package org.tutti.order;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.wire.Malformed;

/// Multicasts to some members of a view, ordered by Skeen's algorithm together with those to all: *subset multicasts*.
///
/// Guarantee, within one view: only destinations receive or send anything for a subset multicast; subset multicasts and
/// batches are delivered in the order of (timestamp, sender's rank), so the orders of all members together have no
/// cycle; what one destination delivers every destination holds. Subset multicasts have no index: each stands between
/// two places of the history.
///
/// ```
///   sender                               every destination
///     | -- SubsetMulticast(m, stamp)-----> |    pending, with a timestamp beyond everything seen
///     | <---------------- Proposed(m, t) -- |
///     | -- Final(m, sn = highest t) ------> |    settled when no batch can come before (sn, rank)
///     | <------------------------ Held(m) - | -- Held(m) --> every other destination
/// ```
///
/// A settled subset multicast knows its index: the places below it come first. That is final, as any two members place
/// prefixes of one sequence, and so a view change needs no timestamps: it keeps a subset multicast that all
/// destinations report as settled. Only then can anybody have delivered it. A destination delivers a subset multicast
/// when it has heard `Held` from all and has delivered everything lower; a place waits for every lower subset multicast
/// that is here.
///
/// A sender has one subset multicast on its way at a time. After Hirt, *Atomic Broadcast on various middlewares*, 1998,
/// sections 2.1 and 2.2.
public final class SubsetMulticasts {
  /// What becomes of subset multicasts.
  public interface User {
    /// Whether the application keeps up, so that one more may be held.
    ///
    /// @return whether there is room
    boolean hasRoom();

    /// A subset multicast may be acted upon.
    ///
    /// @param subset the payload
    void deliver(Batch subset);

    /// Every destination in the view holds this member's subset multicast, so all that go on deliver it.
    ///
    /// @param number the subset multicast's
    void held(long number);

    /// The ordering in force does not order this member's subset multicast; nobody delivers it.
    ///
    /// @param number the subset multicast's
    void refused(long number);

    /// The view ended without this member's subset multicast; nobody who goes on has delivered it.
    ///
    /// @param number the subset multicast's
    void leftOut(long number);
  }

  private static final long SPARE_BYTES = 2L * Group.MESSAGE_BYTES_MAX;

  /// One sender's subset multicasts at this member.
  private static final class Lane {
    private final long[] held; // by rank: the last number that the destination holds; they come one by one
    private long last; // the last number that came, or was sent
    private long delivered; // the last number that was delivered
    private long bytes; // of what is here

    Lane(int ranks) {
      this.held = new long[ranks];
    }
  }

  /// This member's own subset multicast on its way.
  private static final class Own {
    private final SubsetMessage.SubsetMulticast subset;
    private final long[] proposed; // by rank, 0 without
    private boolean decided;

    Own(SubsetMessage.SubsetMulticast subset, int ranks) {
      this.subset = subset;
      this.proposed = new long[ranks];
    }

    long number() {
      return subset.batch().seq();
    }

    boolean isProposedByAll() {
      return subset.destinations().stream().allMatch(rank -> proposed[rank] > 0);
    }
  }

  private final int self;
  private final View view;
  private final Clock clock;
  private final long windowBytes;
  private final Effects<SubsetMessage> effects;
  private final User user;
  private final @Nullable Lane[] lanes; // by the sender's rank
  private final PendingSubsetMulticasts pending;
  private @Nullable Own own;

  /// Begins a view.
  ///
  /// @param context     where it works
  /// @param log         gets the places
  /// @param windowBytes how much of a sender waits here before this member holds up the rest
  /// @param effects     how to reach the others
  /// @param user        gets what becomes of subset multicasts
  public SubsetMulticasts(
      TotalOrder.Context context, Log log, long windowBytes, Effects<SubsetMessage> effects, User user) {
    this.self = context.self();
    this.view = context.view();
    this.clock = context.clock();
    this.windowBytes = windowBytes;
    this.effects = effects;
    this.user = user;
    this.lanes = new Lane[view.size()];
    this.pending = new PendingSubsetMulticasts(log);
  }

  /// For the ordering that orders the batches.
  PendingSubsetMulticasts pending() {
    return pending;
  }

  /// The last place was a switch to another ordering: what comes behind it is not ordered here.
  public void close() {
    pending.close();
  }

  /// Whether subset multicasts can be ordered.
  ///
  /// @return whether the ordering is still in force
  public boolean isOpen() {
    return !pending.isClosed();
  }

  // ---- the sender ------------------------------------------------------------------------------------------------

  /// Sends a subset multicast; the one before has met its fate.
  ///
  /// @param destinations their ranks, rising
  /// @param unsent       the payload, numbered higher than all before
  public void send(List<Integer> destinations, Batch unsent) {
    Invariant.check(own == null, "subset multicasts are sent one by one");
    var message = new SubsetMessage.SubsetMulticast(destinations, unsent.sent(clock.tick(), CausalPast.NONE));
    var sent = new Own(message, view.size());
    own = sent;
    lane(self).last = sent.number();
    for (int rank : destinations) {
      if (rank == self) {
        sent.proposed[self] = add(self, message);
      } else {
        send(rank, message);
      }
    }
  }

  private void proposed(int rank, SubsetMessage.Proposed message) throws Malformed {
    Own sent = own;
    if (message.number() > lane(self).last) {
      throw new Malformed("subset multicast");
    }
    if (sent == null || sent.number() != message.number()) {
      return; // was given up
    }
    boolean wanted = sent.subset.destinations().contains(rank) && sent.proposed[rank] == 0;
    if (!wanted || message.timestamp() <= sent.subset.batch().stamp() || !isPossible(message.timestamp())) {
      throw new Malformed("subset multicast");
    }
    sent.proposed[rank] = message.timestamp();
  }

  private static boolean isPossible(long timestamp) {
    return timestamp <= Skeen.TimestampedRun.TIMESTAMP_MAX;
  }

  private void decide() {
    Own sent = own;
    if (sent == null || sent.decided || !sent.isProposedByAll()) {
      return;
    }
    sent.decided = true;
    List<Integer> destinations = sent.subset.destinations();
    long highest = sent.proposed[destinations.getFirst()];
    for (int rank : destinations) {
      highest = Math.max(highest, sent.proposed[rank]);
    }
    tellFinal(sent, highest);
  }

  private void tellFinal(Own sent, long timestamp) {
    clock.witness(timestamp);
    for (int rank : sent.subset.destinations()) {
      if (rank != self) {
        send(rank, new SubsetMessage.Final(sent.number(), timestamp));
      }
    }
    PendingSubsetMulticasts.Entry here = pending.find(self, sent.number());
    if (here != null) {
      take(here, timestamp);
    }
  }

  private void refused(long number) {
    Own sent = own;
    if (sent == null || sent.number() != number) {
      return;
    }
    if (!sent.decided) {
      tellFinal(sent, 0); // otherwise they all find out by its timestamp
    }
    own = null;
    user.refused(number);
  }

  private void checkHeld() {
    Own sent = own;
    if (sent != null && isHeldByAll(self, sent.subset)) {
      own = null;
      user.held(sent.number());
    }
  }

  // ---- a destination ---------------------------------------------------------------------------------------------

  /// A message came.
  ///
  /// @param from    from a member of the view
  /// @param message what it says
  /// @return whether there is room for it; if not, its sender has to be given up
  /// @throws Malformed when it says what no member of the view could; then nothing was changed
  public boolean receive(MemberId from, SubsetMessage message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0 || rank == self) {
      throw new Malformed("subset multicast");
    }
    switch (message) {
      case SubsetMessage.SubsetMulticast subset -> arrived(rank, subset);
      case SubsetMessage.Proposed proposal -> proposed(rank, proposal);
      case SubsetMessage.Final decision -> decided(rank, decision);
      case SubsetMessage.Held holds -> held(rank, holds);
      case SubsetMessage.Refused(long number) -> refused(number);
    }
    return lane(rank).bytes <= windowBytes + SPARE_BYTES;
  }

  private void arrived(int rank, SubsetMessage.SubsetMulticast message) throws Malformed {
    Batch batch = message.batch();
    List<Integer> to = message.destinations();
    boolean possible = batch.kind() == Batch.Kind.TOTAL && batch.past().isEmpty() && isPossible(batch.stamp());
    if (!possible || batch.seq() <= lane(rank).last || !to.contains(self) || to.getLast() >= view.size()) {
      throw new Malformed("subset multicast");
    }
    lane(rank).last = batch.seq();
    clock.witness(batch.stamp());
    if (pending.isClosed()) {
      send(rank, new SubsetMessage.Refused(batch.seq()));
    } else {
      send(rank, new SubsetMessage.Proposed(batch.seq(), add(rank, message)));
    }
  }

  private long add(int rank, SubsetMessage.SubsetMulticast message) {
    var subset = new PendingSubsetMulticasts.Entry(rank, message, clock.tick());
    pending.add(subset);
    lane(rank).bytes += subset.bytes();
    return subset.timestamp();
  }

  private void remove(PendingSubsetMulticasts.Entry subset) {
    pending.remove(subset);
    lane(subset.rank).bytes -= subset.bytes();
  }

  private void decided(int rank, SubsetMessage.Final decision) throws Malformed {
    PendingSubsetMulticasts.Entry subset = pending.find(rank, decision.number());
    if (subset == null && decision.number() <= lane(rank).last) {
      return; // was refused here
    }
    if (subset == null || subset.isDecided() || !isPossible(decision.timestamp())) {
      throw new Malformed("subset multicast");
    }
    if (decision.timestamp() > 0 && decision.timestamp() < subset.timestamp()) {
      throw new Malformed("subset multicast");
    }
    take(subset, decision.timestamp());
  }

  /// From now on this member proposes more: what comes later cannot come before it.
  private void take(PendingSubsetMulticasts.Entry subset, long timestamp) {
    if (timestamp == 0) {
      remove(subset);
    } else {
      clock.witness(timestamp);
      subset.decide(timestamp);
    }
  }

  private void held(int rank, SubsetMessage.Held holds) throws Malformed {
    boolean possible = holds.rank() < view.size() && (holds.rank() != self || holds.number() <= lane(self).last);
    if (!possible || holds.number() <= lane(holds.rank()).held[rank]) {
      throw new Malformed("subset multicast");
    }
    lane(holds.rank()).held[rank] = holds.number();
  }

  /// A run of inputs ends, and the ordering has given the places that it can.
  ///
  /// @return whether the fate of this member's subset multicast has become known
  public boolean flush() {
    boolean open = own != null;
    decide();
    for (PendingSubsetMulticasts.Entry subset : pending.list()) {
      if (subset.isDecided() && !subset.isSettled()) {
        settle(subset);
      }
      if (subset.isSettled() && !subset.isSaid() && user.hasRoom() && hasRoom(subset)) {
        say(subset);
      }
    }
    checkHeld();
    return open && own == null;
  }

  /// A sender's subset multicasts could pile up here while another destination is not heard. Those before this one are
  /// held by all, so they do not wait for it.
  private boolean hasRoom(PendingSubsetMulticasts.Entry subset) {
    return lane(subset.rank).bytes - subset.bytes() <= windowBytes;
  }

  private void settle(PendingSubsetMulticasts.Entry subset) {
    if (!pending.isBehindSwitch(subset)) {
      pending.settle(subset);
      return;
    }
    remove(subset);
    if (subset.rank == self) {
      refused(subset.number());
    } else {
      send(subset.rank, new SubsetMessage.Refused(subset.number()));
    }
  }

  private void say(PendingSubsetMulticasts.Entry subset) {
    subset.said();
    lane(subset.rank).held[self] = subset.number();
    var holds = new SubsetMessage.Held(subset.rank, subset.number());
    for (int rank : subset.subset.destinations()) {
      if (rank != self && rank != subset.rank) {
        send(rank, holds);
      }
    }
    if (subset.rank != self) {
      send(subset.rank, holds);
    }
  }

  private boolean isHeldByAll(int rank, SubsetMessage.SubsetMulticast subset) {
    long[] held = lane(rank).held;
    return subset.destinations().stream().allMatch(destination -> held[destination] >= subset.batch().seq());
  }

  // ---- deliveries ------------------------------------------------------------------------------------------------

  /// Delivers the subset multicasts that may come next.
  ///
  /// @param deliveredNext the index behind what is delivered of the history
  /// @return whether any was
  public boolean deliver(long deliveredNext) {
    boolean any = false;
    PendingSubsetMulticasts.Entry first = pending.lowest();
    while (first != null
        && first.isSettled()
        && first.index() <= deliveredNext
        && isHeldByAll(first.rank, first.subset)) {
      deliver(first);
      any = true;
      first = pending.lowest();
    }
    return any;
  }

  private void deliver(PendingSubsetMulticasts.Entry subset) {
    remove(subset);
    lane(subset.rank).delivered = subset.number();
    user.deliver(subset.batch());
  }

  /// How far the history may be delivered before the next subset multicast.
  ///
  /// @return the index of the first place that must wait, or [Long#MAX_VALUE]
  public long limit() {
    return pending.limit();
  }

  /// A subset multicast that does not come to its end.
  ///
  /// @param sender its sender's rank
  /// @param number its number
  /// @param placed whether it has its place: what is missing is that all say that they hold it
  /// @param owing  who owes a word on it, by rank; not empty
  public record Open(int sender, long number, boolean placed, List<Integer> owing) {
    /// Copies the list.
    public Open {
      owing = List.copyOf(owing);
    }
  }

  /// What holds up the next subset multicast: this member's own, or the one that comes first of those here, for which
  /// the history waits as well.
  ///
  /// @return it, or null when there is none
  public @Nullable Open open() {
    Own sent = own;
    if (sent != null && !sent.decided) {
      return new Open(self, sent.number(), false, without(sent.subset.destinations(), sent.proposed, 1));
    }
    PendingSubsetMulticasts.Entry first = pending.lowest();
    if (first != null && !first.isDecided()) {
      return new Open(first.rank, first.number(), false, List.of(first.rank));
    }
    if (first != null && isHeldByAll(first.rank, first.subset)) {
      return null; // the history has to be delivered before it
    }
    if (first != null) {
      return heldUp(first.rank, first.subset);
    }
    return sent == null ? null : heldUp(self, sent.subset);
  }

  private Open heldUp(int rank, SubsetMessage.SubsetMulticast subset) {
    long number = subset.batch().seq();
    return new Open(rank, number, true, without(subset.destinations(), lane(rank).held, number));
  }

  private static List<Integer> without(List<Integer> ranks, long[] values, long least) {
    return ranks.stream().filter(rank -> values[rank] < least).toList();
  }

  // ---- for a view change -----------------------------------------------------------------------------------------

  /// What this member reports.
  ///
  /// @return what it holds, has sent and has delivered
  public Tail.Subsets tail() {
    List<SubsetPlace> places = new ArrayList<>();
    for (PendingSubsetMulticasts.Entry subset : pending.list()) {
      if (subset.isSettled()) {
        places.add(subset.place());
      }
    }
    if (own != null) {
      places.add(new SubsetPlace(self, own.number(), own.subset.destinations(), SubsetPlace.UNKNOWN, 0));
    }
    List<Tail.Subsets.Delivered> delivered = new ArrayList<>();
    for (int rank = 0; rank < lanes.length; rank++) {
      Lane lane = lanes[rank];
      if (lane != null && lane.delivered > 0) {
        delivered.add(new Tail.Subsets.Delivered(rank, lane.delivered));
      }
    }
    return new Tail.Subsets(places, delivered);
  }

  /// Whether a subset multicast that a view change keeps is still to be delivered here.
  ///
  /// @param kept of this view
  /// @return whether it is held and not delivered
  public boolean awaits(SubsetPlace kept) {
    PendingSubsetMulticasts.Entry subset = pending.find(kept.rank(), kept.number());
    return subset != null && subset.isSettled();
  }

  /// Delivers a subset multicast that a view change keeps. Who has been in a view that is not primary may have
  /// delivered places behind it, and passes over it.
  ///
  /// @param kept          awaited here
  /// @param deliveredNext the index behind what is delivered of the history
  public void end(SubsetPlace kept, long deliveredNext) {
    PendingSubsetMulticasts.Entry subset = pending.find(kept.rank(), kept.number());
    if (subset != null && !isBehind(deliveredNext, subset)) {
      deliver(subset);
    }
  }

  private static boolean isBehind(long deliveredNext, PendingSubsetMulticasts.Entry subset) {
    return deliveredNext > subset.index();
  }

  /// The view's history has ended: tells what became of this member's subset multicast.
  ///
  /// @param kept what the view change keeps
  public void end(List<SubsetPlace> kept) {
    pending.clear();
    Own sent = own;
    if (sent == null) {
      return;
    }
    own = null;
    if (isAmong(kept, sent.number())) {
      user.held(sent.number());
    } else {
      user.leftOut(sent.number());
    }
  }

  private boolean isAmong(List<SubsetPlace> kept, long number) {
    return kept.stream().anyMatch(place -> place.is(self, number));
  }

  /// Fails when an invariant does not hold.
  public void check() {
    pending.check();
    Own sent = own;
    Invariant.check(
        sent == null || sent.number() == lane(self).last, "an own subset multicast on its way is the last one");
    long[] bytes = new long[lanes.length];
    for (PendingSubsetMulticasts.Entry subset : pending.list()) {
      Lane from = lane(subset.rank);
      Invariant.check(
          from.delivered < subset.number() && subset.number() <= from.last, "a subset multicast waits once");
      Invariant.check(!subset.isSaid() || from.held[self] >= subset.number(), "what is said to be held is held here");
      Invariant.check(subset.timestamp() <= clock.now(), "no subset multicast is beyond the clock");
      bytes[subset.rank] += subset.bytes();
    }
    for (int rank = 0; rank < bytes.length; rank++) {
      Lane from = lanes[rank];
      Invariant.check(
          from == null || from.bytes >= bytes[rank], "what is kept of a sender's subset multicasts is counted");
    }
  }

  // ---- details ---------------------------------------------------------------------------------------------------

  private Lane lane(int rank) {
    Lane lane = lanes[rank];
    if (lane == null) {
      lane = new Lane(lanes.length);
      lanes[rank] = lane;
    }
    return lane;
  }

  private void send(int rank, SubsetMessage message) {
    effects.send(view.members().get(rank), message);
  }
}
