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

/// Multicasts to some members of a view, ordered by Skeen's algorithm together with those to all: *asides*.
///
/// Guarantee, within one view: only destinations receive or send anything for an aside; asides and batches are
/// delivered in the order of (timestamp, sender's rank), so the orders of all members together have no cycle; what one
/// destination delivers every destination holds. Asides have no index: each stands between two places of the history.
///
/// ```
///   sender                               every destination
///     | -- Aside(m, stamp) ---------------> |    pending, with a timestamp beyond everything seen
///     | <---------------- Proposed(m, t) -- |
///     | -- Final(m, sn = highest t) ------> |    settled when no batch can come before (sn, rank)
///     | <------------------------ Held(m) - | -- Held(m) --> every other destination
/// ```
///
/// A settled aside knows its index: the places below it come first. That is final, as any two members place prefixes of
/// one sequence, and so a view change needs no timestamps: it keeps an aside that all destinations report as settled.
/// Only then can anybody have delivered it. A destination delivers an aside when it has heard `Held` from all and has
/// delivered everything lower; a place waits for every lower aside that is here.
///
/// A sender has one aside on its way at a time. After Hirt, *Atomic Broadcast on various middlewares*, 1998, sections
/// 2.1 and 2.2.
public final class Asides {
  /// What becomes of asides.
  public interface User {
    /// Whether the application keeps up, so that one more may be held.
    ///
    /// @return whether there is room
    boolean hasRoom();

    /// An aside may be acted upon.
    ///
    /// @param aside the payload
    void deliver(Batch aside);

    /// Every destination in the view holds this member's aside, so all that go on deliver it.
    ///
    /// @param number the aside's
    void held(long number);

    /// The ordering in force does not order this member's aside; nobody delivers it.
    ///
    /// @param number the aside's
    void refused(long number);

    /// The view ended without this member's aside; nobody who goes on has delivered it.
    ///
    /// @param number the aside's
    void leftOut(long number);
  }

  private static final long SPARE_BYTES = 2L * Group.MESSAGE_BYTES_MAX;

  /// One sender's asides at this member.
  private static final class Lane {
    private final long[] held; // by rank: the last number that the destination holds; they come one by one
    private long last; // the last number that came, or was sent
    private long delivered; // the last number that was delivered
    private long bytes; // of what is here

    Lane(int ranks) {
      this.held = new long[ranks];
    }
  }

  /// This member's own aside on its way.
  private static final class Own {
    private final AsideMessage.Aside aside;
    private final long[] proposed; // by rank, 0 without
    private boolean decided;

    Own(AsideMessage.Aside aside, int ranks) {
      this.aside = aside;
      this.proposed = new long[ranks];
    }

    long number() {
      return aside.batch().seq();
    }

    boolean isProposedByAll() {
      return aside.destinations().stream().allMatch(rank -> proposed[rank] > 0);
    }
  }

  private final int self;
  private final View view;
  private final Clock clock;
  private final long windowBytes;
  private final Effects<AsideMessage> effects;
  private final User user;
  private final @Nullable Lane[] lanes; // by the sender's rank
  private final PendingAsides pending;
  private @Nullable Own own;

  /// Begins a view.
  ///
  /// @param setting     where it works
  /// @param log         gets the places
  /// @param windowBytes how much of a sender waits here before this member holds up the rest
  /// @param effects     how to reach the others
  /// @param user        gets what becomes of asides
  public Asides(Setting setting, Log log, long windowBytes, Effects<AsideMessage> effects, User user) {
    this.self = setting.self();
    this.view = setting.view();
    this.clock = setting.clock();
    this.windowBytes = windowBytes;
    this.effects = effects;
    this.user = user;
    this.lanes = new Lane[view.size()];
    this.pending = new PendingAsides(log);
  }

  /// For the ordering that orders the batches.
  PendingAsides pending() {
    return pending;
  }

  /// The last place was a switch to another ordering: what comes behind it is not ordered here.
  public void close() {
    pending.close();
  }

  /// Whether asides can be ordered.
  ///
  /// @return whether the ordering is still in force
  public boolean isOpen() {
    return !pending.isClosed();
  }

  // ---- the sender ------------------------------------------------------------------------------------------------

  /// Sends an aside; the one before has met its fate.
  ///
  /// @param destinations their ranks, rising
  /// @param unsent       the payload, numbered higher than all before
  public void send(List<Integer> destinations, Batch unsent) {
    Invariant.check(own == null, "asides are sent one by one");
    var message = new AsideMessage.Aside(destinations, unsent.sent(clock.tick(), CausalPast.NONE));
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

  private void proposed(int rank, AsideMessage.Proposed message) throws Malformed {
    Own sent = own;
    if (message.number() > lane(self).last) {
      throw new Malformed("aside");
    }
    if (sent == null || sent.number() != message.number()) {
      return; // was given up
    }
    boolean wanted = sent.aside.destinations().contains(rank) && sent.proposed[rank] == 0;
    if (!wanted || message.timestamp() <= sent.aside.batch().stamp() || !isPossible(message.timestamp())) {
      throw new Malformed("aside");
    }
    sent.proposed[rank] = message.timestamp();
  }

  private static boolean isPossible(long timestamp) {
    return timestamp <= StampedRun.TIMESTAMP_MAX;
  }

  private void decide() {
    Own sent = own;
    if (sent == null || sent.decided || !sent.isProposedByAll()) {
      return;
    }
    sent.decided = true;
    List<Integer> destinations = sent.aside.destinations();
    long highest = sent.proposed[destinations.getFirst()];
    for (int rank : destinations) {
      highest = Math.max(highest, sent.proposed[rank]);
    }
    tellFinal(sent, highest);
  }

  private void tellFinal(Own sent, long timestamp) {
    clock.witness(timestamp);
    for (int rank : sent.aside.destinations()) {
      if (rank != self) {
        send(rank, new AsideMessage.Final(sent.number(), timestamp));
      }
    }
    PendingAside here = pending.find(self, sent.number());
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
    if (sent != null && isHeldByAll(self, sent.aside)) {
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
  public boolean receive(MemberId from, AsideMessage message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0 || rank == self) {
      throw new Malformed("aside");
    }
    switch (message) {
      case AsideMessage.Aside aside -> arrived(rank, aside);
      case AsideMessage.Proposed proposal -> proposed(rank, proposal);
      case AsideMessage.Final decision -> decided(rank, decision);
      case AsideMessage.Held holds -> held(rank, holds);
      case AsideMessage.Refused(long number) -> refused(number);
    }
    return lane(rank).bytes <= windowBytes + SPARE_BYTES;
  }

  private void arrived(int rank, AsideMessage.Aside message) throws Malformed {
    Batch batch = message.batch();
    List<Integer> to = message.destinations();
    boolean possible = batch.kind() == Batch.Kind.TOTAL && batch.past().isEmpty() && isPossible(batch.stamp());
    if (!possible || batch.seq() <= lane(rank).last || !to.contains(self) || to.getLast() >= view.size()) {
      throw new Malformed("aside");
    }
    lane(rank).last = batch.seq();
    clock.witness(batch.stamp());
    if (pending.isClosed()) {
      send(rank, new AsideMessage.Refused(batch.seq()));
    } else {
      send(rank, new AsideMessage.Proposed(batch.seq(), add(rank, message)));
    }
  }

  private long add(int rank, AsideMessage.Aside message) {
    var aside = new PendingAside(rank, message, clock.tick());
    pending.add(aside);
    lane(rank).bytes += aside.bytes();
    return aside.timestamp();
  }

  private void remove(PendingAside aside) {
    pending.remove(aside);
    lane(aside.rank).bytes -= aside.bytes();
  }

  private void decided(int rank, AsideMessage.Final decision) throws Malformed {
    PendingAside aside = pending.find(rank, decision.number());
    if (aside == null && decision.number() <= lane(rank).last) {
      return; // was refused here
    }
    if (aside == null || aside.isDecided() || !isPossible(decision.timestamp())) {
      throw new Malformed("aside");
    }
    if (decision.timestamp() > 0 && decision.timestamp() < aside.timestamp()) {
      throw new Malformed("aside");
    }
    take(aside, decision.timestamp());
  }

  /// From now on this member proposes more: what comes later cannot come before it.
  private void take(PendingAside aside, long timestamp) {
    if (timestamp == 0) {
      remove(aside);
    } else {
      clock.witness(timestamp);
      aside.decide(timestamp);
    }
  }

  private void held(int rank, AsideMessage.Held holds) throws Malformed {
    boolean possible = holds.rank() < view.size() && (holds.rank() != self || holds.number() <= lane(self).last);
    if (!possible || holds.number() <= lane(holds.rank()).held[rank]) {
      throw new Malformed("aside");
    }
    lane(holds.rank()).held[rank] = holds.number();
  }

  /// A run of inputs ends, and the ordering has given the places that it can.
  ///
  /// @return whether the fate of this member's aside has become known
  public boolean flush() {
    boolean open = own != null;
    decide();
    for (PendingAside aside : pending.list()) {
      if (aside.isDecided() && !aside.isSettled()) {
        settle(aside);
      }
      if (aside.isSettled() && !aside.isSaid() && user.hasRoom() && hasRoom(aside)) {
        say(aside);
      }
    }
    checkHeld();
    return open && own == null;
  }

  /// A sender's asides could pile up here while another destination is not heard. Those before this one are held by
  /// all, so they do not wait for it.
  private boolean hasRoom(PendingAside aside) {
    return lane(aside.rank).bytes - aside.bytes() <= windowBytes;
  }

  private void settle(PendingAside aside) {
    if (!pending.isBehindSwitch(aside)) {
      pending.settle(aside);
      return;
    }
    remove(aside);
    if (aside.rank == self) {
      refused(aside.number());
    } else {
      send(aside.rank, new AsideMessage.Refused(aside.number()));
    }
  }

  private void say(PendingAside aside) {
    aside.said();
    lane(aside.rank).held[self] = aside.number();
    var holds = new AsideMessage.Held(aside.rank, aside.number());
    for (int rank : aside.aside.destinations()) {
      if (rank != self && rank != aside.rank) {
        send(rank, holds);
      }
    }
    if (aside.rank != self) {
      send(aside.rank, holds);
    }
  }

  private boolean isHeldByAll(int rank, AsideMessage.Aside aside) {
    long[] held = lane(rank).held;
    return aside.destinations().stream().allMatch(destination -> held[destination] >= aside.batch().seq());
  }

  // ---- deliveries ------------------------------------------------------------------------------------------------

  /// Delivers the asides that may come next.
  ///
  /// @param deliveredNext the index behind what is delivered of the history
  /// @return whether any was
  public boolean deliver(long deliveredNext) {
    boolean any = false;
    PendingAside first = pending.lowest();
    while (first != null
        && first.isSettled()
        && first.index() <= deliveredNext
        && isHeldByAll(first.rank, first.aside)) {
      deliver(first);
      any = true;
      first = pending.lowest();
    }
    return any;
  }

  private void deliver(PendingAside aside) {
    remove(aside);
    lane(aside.rank).delivered = aside.number();
    user.deliver(aside.batch());
  }

  /// How far the history may be delivered before the next aside.
  ///
  /// @return the index of the first place that must wait, or [Long#MAX_VALUE]
  public long limit() {
    return pending.limit();
  }

  /// An aside that does not come to its end.
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

  /// What holds up the next aside: this member's own, or the one that comes first of those here, for which the history
  /// waits as well.
  ///
  /// @return it, or null when there is none
  public @Nullable Open open() {
    Own sent = own;
    if (sent != null && !sent.decided) {
      return new Open(self, sent.number(), false, without(sent.aside.destinations(), sent.proposed, 1));
    }
    PendingAside first = pending.lowest();
    if (first != null && !first.isDecided()) {
      return new Open(first.rank, first.number(), false, List.of(first.rank));
    }
    if (first != null && isHeldByAll(first.rank, first.aside)) {
      return null; // the history has to be delivered before it
    }
    if (first != null) {
      return heldUp(first.rank, first.aside);
    }
    return sent == null ? null : heldUp(self, sent.aside);
  }

  private Open heldUp(int rank, AsideMessage.Aside aside) {
    long number = aside.batch().seq();
    return new Open(rank, number, true, without(aside.destinations(), lane(rank).held, number));
  }

  private static List<Integer> without(List<Integer> ranks, long[] values, long least) {
    return ranks.stream().filter(rank -> values[rank] < least).toList();
  }

  // ---- for a view change -----------------------------------------------------------------------------------------

  /// What this member reports.
  ///
  /// @return what it holds, has sent and has delivered
  public AsideTail tail() {
    List<AsidePlace> places = new ArrayList<>();
    for (PendingAside aside : pending.list()) {
      if (aside.isSettled()) {
        places.add(aside.place());
      }
    }
    if (own != null) {
      places.add(new AsidePlace(self, own.number(), own.aside.destinations(), AsidePlace.UNKNOWN, 0));
    }
    List<AsideTail.Delivered> delivered = new ArrayList<>();
    for (int rank = 0; rank < lanes.length; rank++) {
      Lane lane = lanes[rank];
      if (lane != null && lane.delivered > 0) {
        delivered.add(new AsideTail.Delivered(rank, lane.delivered));
      }
    }
    return new AsideTail(places, delivered);
  }

  /// Whether an aside that a view change keeps is still to be delivered here.
  ///
  /// @param kept of this view
  /// @return whether it is held and not delivered
  public boolean awaits(AsidePlace kept) {
    PendingAside aside = pending.find(kept.rank(), kept.number());
    return aside != null && aside.isSettled();
  }

  /// Delivers an aside that a view change keeps. Who has been in a view that is not primary may have delivered places
  /// behind it, and passes over it.
  ///
  /// @param kept          awaited here
  /// @param deliveredNext the index behind what is delivered of the history
  public void end(AsidePlace kept, long deliveredNext) {
    PendingAside aside = pending.find(kept.rank(), kept.number());
    if (aside != null && !isBehind(deliveredNext, aside)) {
      deliver(aside);
    }
  }

  private static boolean isBehind(long deliveredNext, PendingAside aside) {
    return deliveredNext > aside.index();
  }

  /// The view's history has ended: tells what became of this member's aside.
  ///
  /// @param kept what the view change keeps
  public void end(List<AsidePlace> kept) {
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

  private boolean isAmong(List<AsidePlace> kept, long number) {
    return kept.stream().anyMatch(place -> place.is(self, number));
  }

  /// Fails when an invariant does not hold.
  public void check() {
    pending.check();
    Own sent = own;
    Invariant.check(sent == null || sent.number() == lane(self).last, "an own aside on its way is the last one");
    long[] bytes = new long[lanes.length];
    for (PendingAside aside : pending.list()) {
      Lane from = lane(aside.rank);
      Invariant.check(from.delivered < aside.number() && aside.number() <= from.last, "an aside waits once");
      Invariant.check(!aside.isSaid() || from.held[self] >= aside.number(), "what is said to be held is held here");
      Invariant.check(aside.timestamp() <= clock.now(), "no aside is beyond the clock");
      bytes[aside.rank] += aside.bytes();
    }
    for (int rank = 0; rank < bytes.length; rank++) {
      Lane from = lanes[rank];
      Invariant.check(from == null || from.bytes >= bytes[rank], "what is kept of a sender's asides is counted");
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

  private void send(int rank, AsideMessage message) {
    effects.send(view.members().get(rank), message);
  }
}
