package org.tutti.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.Guarantee;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.order.Backlog;
import org.tutti.order.Clock;
import org.tutti.order.Cut;
import org.tutti.order.Frontier;
import org.tutti.order.HoldBackQueue;
import org.tutti.order.Log;
import org.tutti.order.OrderingContext;
import org.tutti.order.Stability;
import org.tutti.order.SubsetCodec;
import org.tutti.order.SubsetMessage;
import org.tutti.order.SubsetMulticasts;
import org.tutti.order.SubsetPlace;
import org.tutti.order.Tail;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.storage.StorageException;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// One view's history at one member, of a primary view or a [Branch]: the log, who decides its places, who holds how
/// much of it, and what is delivered before it has a place.
final class PrimaryHistory {
  private static final int HURRIES_PER_WINDOW = 8;
  private static final int SPARE_BYTES = 2 * Group.MESSAGE_BYTES_MAX;

  private final View view;
  private final int self;
  private final long indexFirst;
  private final Log log;
  private final HoldBackQueue room;
  private final OrderingEpochs orders;
  private final Clock clock;
  private final Stability stability;
  private final @Nullable Backlog backlog; // with observers, for whom nobody waits
  private final Deliverer deliveries;
  private final EarlyDeliveries early;
  private final Effects<Batch> batches;
  private final StorageProgress written;
  private final Payloads payloads;
  private final List<Ordering> inForce = new ArrayList<>(); // not empty
  private final @Nullable Frontier frontier; // of a group in a domain
  private final @Nullable SubsetMulticasts subsets; // where the ordering can have any
  private long resentNext; // the number behind this member's last batch that was sent in an earlier view, too

  PrimaryHistory(
      OrderingContext context,
      Ordering ordering,
      Guarantee guarantee,
      @Nullable Frontier frontier,
      Deliverer deliveries,
      ProtocolPorts protocolPorts) {
    this.view = context.view();
    this.self = context.self();
    this.clock = context.clock();
    this.frontier = frontier;
    this.deliveries = deliveries;
    this.indexFirst = context.indexFirst();
    this.batches = protocolPorts.batches;
    this.written = protocolPorts.written;
    this.payloads = protocolPorts.payloads;
    this.inForce.add(ordering);
    int own = view.rankOf(protocolPorts.member);
    this.log = new Log(view, own, context.indexFirst(), ordering, this::switched);
    this.room = new HoldBackQueue(log, (long) protocolPorts.windowBytes + SPARE_BYTES);
    this.early = new EarlyDeliveries(view, self, deliveries);
    boolean some = ordering == Ordering.SKEEN && frontier == null && own >= 0;
    this.backlog = view.voters() < view.size() ? new Backlog(context.indexFirst()) : null;
    this.subsets =
        some
            ? new SubsetMulticasts(context, log, protocolPorts.windowBytes, protocolPorts.subset, protocolPorts.subsets)
            : null;
    this.orders = new OrderingEpochs(context, ordering, log, protocolPorts.order, protocolPorts.counters, subsets);
    this.stability =
        new Stability(
            self,
            view,
            context.indexFirst(),
            guarantee,
            context.quorum(),
            protocolPorts.windowBytes / HURRIES_PER_WINDOW,
            protocolPorts.stability);
  }

  /// The protocols' ports; they outlive a view.
  ///
  /// @param member      this member
  /// @param batches     for the senders' batches
  /// @param order       opens one for an ordering
  /// @param stability   for progress
  /// @param subset       for multicasts to some members
  /// @param subsets      gets what becomes of these
  /// @param counters    the node's
  /// @param windowBytes how much of a sender may be on its way
  /// @param written     what is in stable storage
  /// @param payloads    where batches are copied to
  record ProtocolPorts(
      MemberId member,
      Effects<Batch> batches,
      OrderingEpochs.PortFactory order,
      Effects<Stability.Message> stability,
      Effects<SubsetMessage> subset,
      SubsetMulticasts.User subsets,
      Counters counters,
      int windowBytes,
      StorageProgress written,
      Payloads payloads) {

    /// Opens those of a group.
    static ProtocolPorts open(
        MemberId self,
        Ports ports,
        SubsetMulticasts.User subsets,
        NodeContext node,
        int windowBytes,
        StorageProgress written) {
      return new ProtocolPorts(
          self,
          ports.open(Channel.BATCH, new BatchCodec(self, node.payloads()), (from, message) -> {}),
          ports,
          ports.open(Channel.STABILITY, Stability.CODEC, (from, message) -> {}),
          ports.open(Channel.SUBSET, new SubsetCodec(self), (from, message) -> {}),
          subsets,
          node.counters(),
          windowBytes,
          written,
          node.payloads());
    }

    /// The same for what is not kept.
    ProtocolPorts unwritten() {
      return new ProtocolPorts(
          member,
          batches,
          order,
          stability,
          subset,
          subsets,
          counters,
          windowBytes,
          StorageProgress.NOTHING_TO_WRITE,
          payloads);
    }
  }

  /// Takes up what an earlier life had kept of this history; it is not to go on here.
  ///
  /// @param from      what was kept
  /// @param viewFirst the index of the view's first place, at most the one where this begins
  void resume(Restart from, long viewFirst) {
    for (int rank = 0; rank < view.size(); rank++) {
      long next = from.stable().mark(view.members().get(rank), viewFirst);
      if (next >= 0) {
        log.resume(rank, next);
      }
    }
    for (Batch batch : from.unstable()) {
      int rank = view.rankOf(batch.sender());
      clock.witness(batch.stamp());
      boolean here = rank >= 0 && log.add(rank, batch) && log.place(rank, batch.seq());
      if (!here) {
        throw new StorageException("the log is damaged: " + batch + " does not follow the batch before it");
      }
    }
    for (Batch batch : from.loose()) {
      clock.witness(batch.stamp());
      log.add(view.rankOf(batch.sender()), batch);
    }
  }

  private void switched(Ordering to) {
    orders.switched(to);
    inForce.add(to);
    if (subsets != null) {
      subsets.close();
    }
  }

  /// Tells of the orderings that were in force since the last call, one after the other; the last one still is.
  void orderings(Consumer<Ordering> told) {
    inForce.forEach(told);
    inForce.subList(0, inForce.size() - 1).clear();
  }

  View view() {
    return view;
  }

  long indexFirst() {
    return indexFirst;
  }

  Log log() {
    return log;
  }

  /// Sends a batch of this member to everybody.
  void send(Batch batch) {
    Batch sent = batch.sent(clock.tick(), early.past(batch.kind()));
    arrived(self, sent);
    batches.broadcast(sent);
    boolean next = log.add(self, sent);
    Invariant.check(next, "own batches are sent in order");
    orders.arrived(self, sent);
    early.arrived(self, sent);
  }

  /// Sends a batch that was sent in an earlier view, which this one does not continue.
  void resend(Batch batch) {
    resentNext = batch.seq() + 1;
    send(batch);
  }

  /// The ordering in force at this member.
  Ordering ordering() {
    return log.ordering();
  }

  /// A batch of another member.
  ///
  /// @return whether there is room for it; if not, its sender has to be given up
  boolean batch(MemberId from, WireReader in) throws Malformed {
    Batch batch = new BatchCodec(from, payloads).readAll(in);
    int rank = view.rankOf(from);
    if (rank < 0 || !batch.past().fits(view.size()) || !room.enter(rank, batch)) {
      throw new Malformed("batch out of order");
    }
    for (Batch next = room.next(); next != null; next = room.next()) {
      received(view.rankOf(next.sender()), next);
    }
    return !room.isFull(rank);
  }

  private void received(int rank, Batch batch) throws Malformed {
    log.add(rank, batch);
    clock.witness(batch.stamp());
    arrived(rank, batch);
    orders.arrived(rank, batch);
    orders.refuseContradiction();
    early.arrived(rank, batch);
  }

  /// A batch of the end of this history was fetched.
  ///
  /// @return whether it is the sender's next one
  boolean supplied(int rank, Batch batch) {
    boolean next = batch.past().fits(view.size()) && room.enter(rank, batch);
    for (Batch complete = room.next(); complete != null; complete = room.next()) {
      clock.witness(complete.stamp());
      log.add(view.rankOf(complete.sender()), complete);
    }
    return next;
  }

  private void arrived(int rank, Batch batch) {
    if (frontier != null) {
      frontier.arrived(rank, batch.stamp());
    }
  }

  void frontier(MemberId from, Frontier.Message message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0 || frontier == null) {
      throw new Malformed("frontier");
    }
    frontier.receive(rank, message);
  }

  /// The lowest stamp that a delivery to come can have; only in a domain.
  long bound() {
    return frontier == null ? Long.MAX_VALUE : frontier.bound(log);
  }

  void ask(long stamp) {
    if (frontier != null) {
      frontier.ask(stamp);
    }
  }

  /// A message of an ordering.
  ///
  /// @return whether there is room for it; if not, its sender has to be given up
  boolean order(MemberId from, WireReader in) throws Malformed {
    return orders.receive(from, in);
  }

  /// What orders this view's multicasts to some members; null when nothing does.
  @Nullable SubsetMulticasts subsets() {
    return subsets;
  }

  /// A message about a multicast to some members.
  ///
  /// @return whether there is room for it; if not, its sender has to be given up
  boolean subset(MemberId from, SubsetMessage message) throws Malformed {
    if (subsets == null) {
      throw new Malformed("subset multicast");
    }
    return subsets.receive(from, message);
  }

  void suspicionChanged() {
    orders.suspicionChanged();
  }

  /// The view is wedged.
  void stop() {
    orders.stop();
    early.stop();
    room.clear();
  }

  void stability(MemberId from, Stability.Message message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0) {
      throw new Malformed("stability of a stranger");
    }
    stability.receive(rank, message);
  }

  /// The index behind what is delivered.
  long deliveredNext() {
    return deliveries.deliveredNext();
  }

  /// Delivers what may be delivered now.
  ///
  /// @return whether anything was
  boolean deliver() {
    orders.flush();
    boolean news = subsets != null && subsets.flush();
    stability.progress(writtenNext(), deliveries.consumedNext());
    return early.deliver() | deliverNext(stability.decidedNext()) | news;
  }

  /// The index behind what this member holds, and will even if it is restarted.
  private long writtenNext() {
    return Math.min(log.heldNext(), written.next());
  }

  private boolean deliverNext(long end) {
    if (subsets == null) {
      return deliverUpTo(end);
    }
    boolean any = false;
    boolean more = true;
    while (more) {
      more = subsets.deliver(deliveries.deliveredNext()) | deliverUpTo(Math.min(end, subsets.limit()));
      any |= more;
    }
    return any;
  }

  private boolean deliverUpTo(long end) {
    boolean any = false;
    while (deliveries.deliveredNext() < end) {
      long index = deliveries.deliveredNext();
      Batch batch = log.at(index);
      Invariant.check(batch.stamp() <= clock.now(), "a delivery is stamped higher than the clock");
      int rank = view.rankOf(batch.sender());
      if (frontier != null) {
        frontier.delivered(rank, batch.seq());
      }
      deliveries.deliver(index, batch);
      stability.delivered(batch.payload().remaining());
      if (backlog != null) {
        backlog.delivered(batch.payload().remaining());
      }
      early.placed(index, rank, batch);
      any = true;
    }
    return any;
  }

  /// Ends a run of inputs: tells the others how far this member is, forgets what all have.
  void flush() {
    stability.progress(writtenNext(), deliveries.consumedNext());
    stability.flush();
    if (frontier != null) {
      frontier.flush();
    }
    orders.heldByAll(stability.heldByAll());
    log.dropBefore(Math.min(stability.heldByAll(), deliveries.deliveredNext()), this::dropped);
    deliveries.consumedByAll(stability.consumedByAll());
  }

  /// A batch has left the log: every member holds it, and if the application here is through with it, its buffer can be
  /// used again. What others ask for in a view change is of a history that is wedged, and that drops nothing. An own
  /// batch may still be in a packet that is not acknowledged, and be sent again with something else in it. That goes to
  /// members of this view, who have taken it, so that they drop it unread; unless it was sent in an earlier view, to
  /// one who may not have it and may still be there.
  private void dropped(long index, int rank, Batch batch) {
    if (index >= deliveries.consumedBelow()) {
      return;
    }
    if (rank != self) {
      payloads.giveBack(batch.payload());
    } else if (batch.seq() >= resentNext) {
      deliveries.giveBack(batch);
    }
  }

  /// Which observers are too far behind this member: their applications have not consumed more than so many bytes.
  List<MemberId> lagging(long bytesMax) {
    if (backlog == null) {
      return List.of();
    }
    long[] consumed = stability.consumed();
    long least = Long.MAX_VALUE;
    List<MemberId> lagging = new ArrayList<>();
    for (int rank = view.voters(); rank < consumed.length; rank++) {
      least = Math.min(least, consumed[rank]);
      if (rank != self && backlog.from(consumed[rank]) > bytesMax) {
        lagging.add(view.members().get(rank));
      }
    }
    backlog.dropBefore(Math.min(least, deliveries.deliveredNext()));
    return lagging;
  }

  /// How far this history is.
  ///
  /// @param bytes how much of this member's window is taken up by what is not taken from an index on
  Standstill.Progress progress(LongUnaryOperator bytes) {
    boolean misses = log.knownNext() > log.heldNext();
    return new Standstill.Progress(
        view,
        self,
        log.ordering(),
        log.heldNext(),
        log.knownNext(),
        misses ? log.rankAt(log.heldNext()) : -1,
        !log.unplaced().isEmpty(),
        deliveries.deliveredNext(),
        stability.held(),
        stability.consumed(),
        subsets == null ? null : subsets.open(),
        bytes);
  }

  /// When [#flush] has something to say even if nothing happens.
  long deadline() {
    return stability.deadline();
  }

  /// What may be delivered, as far as this member knows.
  long decidedNext() {
    return Math.max(deliveries.deliveredNext(), stability.decidedNext());
  }

  /// What this member reports of this history.
  Tail tail() {
    Tail tail = log.tail(decidedNext());
    return subsets == null ? tail : tail.with(subsets.tail());
  }

  /// Delivers the end of this history.
  void end(Cut cut) {
    log.adopt(cut, deliveries.deliveredNext());
    written.adopted(log);
    if (subsets != null && cut.whole()) {
      for (SubsetPlace kept : cut.subsets()) {
        if (subsets.awaits(kept)) {
          deliverUpTo(Math.min(kept.index(), cut.end()));
          subsets.end(kept, deliveries.deliveredNext());
        }
      }
      subsets.end(cut.subsets());
    }
    deliverUpTo(cut.end());
  }

  void check() {
    log.check();
    room.check();
    orders.check();
    early.check();
    if (subsets != null) {
      subsets.check();
    }
    Invariant.check(inForce.getLast() == log.ordering(), "the ordering in force is going to be told");
    long delivered = deliveries.deliveredNext();
    Invariant.check(indexFirst <= delivered && log.first() <= delivered, "nothing is forgotten that is not delivered");
    Invariant.check(delivered <= log.heldNext(), "only what is held is delivered");
    if (orders.isStopped()) {
      stability.check(); // the end of the history was another one, perhaps
    } else {
      stability.check(writtenNext(), log.first());
    }
    if (frontier != null) {
      frontier.check();
    }
  }
}
