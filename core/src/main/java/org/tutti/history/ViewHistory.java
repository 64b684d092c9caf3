package org.tutti.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.Group;
import org.tutti.GroupMetrics;
import org.tutti.Guarantee;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.dissemination.Disseminator;
import org.tutti.dissemination.Transmission;
import org.tutti.domain.Frontier;
import org.tutti.durable.Journal;
import org.tutti.durable.Restart;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.membership.KeptHistory;
import org.tutti.membership.Knowledge;
import org.tutti.order.Backlog;
import org.tutti.order.Clock;
import org.tutti.order.Cut;
import org.tutti.order.HoldBackQueue;
import org.tutti.order.Log;
import org.tutti.order.ReadIndex;
import org.tutti.order.Stability;
import org.tutti.order.SubsetMessage;
import org.tutti.order.SubsetMulticasts;
import org.tutti.order.SubsetPlace;
import org.tutti.order.Tail;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.storage.StorageException;
import org.tutti.wire.Channel;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// One view's history at one member, of a primary view or a [Branch]: the log, who decides its places, who holds how
/// much of it, and what is delivered before it has a place.
public final class ViewHistory {
  private static final int HURRIES_PER_WINDOW = 8;
  private static final int SPARE_BYTES = 2 * Group.MESSAGE_BYTES_MAX;

  private final View view;
  private final int self;
  private final Log log;
  private final HoldBackQueue room;
  private final OrderingEpochs orders;
  private final Clock clock;
  private final Stability stability;
  private final @Nullable Backlog backlog; // with observers, for whom nobody waits
  private final Deliverer deliveries;
  private final EarlyDeliveries early;
  private final ReadIndex reads;
  private final Disseminator dissemination;
  private final @Nullable Journal journal; // only what is there may be acknowledged, and delivered
  private final Payloads payloads;
  private final List<Ordering> inForce = new ArrayList<>(); // not empty
  private final @Nullable Frontier frontier; // of a group in a domain
  private final @Nullable SubsetMulticasts subsets; // where the ordering can have any
  private long resentNext; // the number behind this member's last batch that was sent in an earlier view, too

  /// Begins with a view.
  ///
  /// @param context       the view, and what orderings need to know
  /// @param ordering      the first one
  /// @param guarantee     when a place is decided
  /// @param frontier      of a group in a domain, or null
  /// @param deliveries    where the history goes
  /// @param protocolPorts how the protocols reach the others
  public ViewHistory(
      TotalOrder.Context context,
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
    this.journal = protocolPorts.journal;
    this.payloads = protocolPorts.payloads;
    this.inForce.add(ordering);
    this.dissemination =
        new Disseminator(view, self, protocolPorts.choice, protocolPorts.batches, protocolPorts.counters);
    int own = view.rankOf(protocolPorts.member);
    this.log = new Log(view, own, context.indexFirst(), ordering, this::switched);
    this.room = new HoldBackQueue(log, (long) protocolPorts.windowBytes + SPARE_BYTES);
    this.early = new EarlyDeliveries(view, self, deliveries);
    this.reads = new ReadIndex(context, protocolPorts.reads);
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
  /// @param choice      which way batches of this member go
  /// @param order       opens one for an ordering
  /// @param stability   for progress
  /// @param reads       for questions how far the history is
  /// @param subset      for multicasts to some members
  /// @param subsets     gets what becomes of these
  /// @param counters    the node's
  /// @param windowBytes how much of a sender may be on its way
  /// @param journal     where the history is kept, or null
  /// @param payloads    where batches are copied to
  public record ProtocolPorts(
      MemberId member,
      Effects<Transmission> batches,
      Disseminator.Choice choice,
      OrderingEpochs.PortFactory order,
      Effects<Stability.Message> stability,
      Effects<ReadIndex.Message> reads,
      Effects<SubsetMessage> subset,
      SubsetMulticasts.User subsets,
      Counters counters,
      int windowBytes,
      @Nullable Journal journal,
      Payloads payloads) {
    /// The same for what is not kept.
    ///
    /// @return a copy
    public ProtocolPorts unwritten() {
      return new ProtocolPorts(
          member, batches, choice, order, stability, reads, subset, subsets, counters, windowBytes, null, payloads);
    }
  }

  /// Takes up what an earlier life had kept of this history; it is not to go on here.
  ///
  /// @param from      what was kept
  /// @param viewFirst the index of the view's first place, at most the one where this begins
  public void resume(Restart from, long viewFirst) {
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
    if (inForce.size() > 1) {
      inForce.subList(0, inForce.size() - 1).clear();
    }
  }

  /// Whose history it is.
  ///
  /// @return the view
  public View view() {
    return view;
  }

  /// What is held of it.
  ///
  /// @return the log
  public Log log() {
    return log;
  }

  /// Whether a batch of this member may leave now ([Disseminator#isReady]).
  boolean isReady() {
    return dissemination.isReady();
  }

  /// Sends a batch of this member to everybody.
  void send(Batch batch) {
    Batch sent = batch.sent(clock.tick(), early.past(batch.kind()));
    arrived(self, sent);
    dissemination.send(sent);
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

  /// A message of another member came for one of the view's protocols.
  ///
  /// @param from    who sent it
  /// @param channel whose it is
  /// @param in      the message
  /// @return a member for which there is no room any more, so that it has to be given up; or null
  /// @throws Malformed when it cannot be true
  public @Nullable MemberId receive(MemberId from, Channel channel, WireReader in) throws Malformed {
    boolean room = true;
    switch (channel) {
      case BATCH -> {
        return batch(from, in);
      }
      case ORDER -> room = orders.receive(from, in);
      case SUBSET -> room = subset(from, new SubsetMessage.Encoding(from).readAll(in));
      case FRONTIER -> frontier(from, Frontier.CODEC.readAll(in));
      case READ -> read(from, ReadIndex.CODEC.readAll(in));
      default -> stability(from, Stability.CODEC.readAll(in));
    }
    return room ? null : from;
  }

  private @Nullable MemberId batch(MemberId from, WireReader in) throws Malformed {
    Transmission message = new Transmission.Encoding(view, from, payloads).readAll(in);
    Batch batch = message.batch();
    int rank = dissemination.sender(from, message);
    boolean fits = batch.past().fits(view.size()) && room.enter(rank, batch, message.first(), message.apart());
    if (!fits) {
      throw new Malformed("batch out of order");
    }
    dissemination.forward(message);
    for (Batch next = room.next(); next != null; next = room.next()) {
      received(view.rankOf(next.sender()), next);
    }
    return room.isFull(rank) ? batch.sender() : null;
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
    boolean next = batch.past().fits(view.size()) && room.enter(rank, batch, !log.hasBegun(rank), false);
    for (Batch complete = room.next(); complete != null; complete = room.next()) {
      clock.witness(complete.stamp());
      log.add(view.rankOf(complete.sender()), complete);
    }
    return next;
  }

  private void arrived(int rank, Batch batch) {
    if (frontier != null) {
      frontier.arrived(rank, batch.seq(), batch.stamp());
    }
  }

  private void frontier(MemberId from, Frontier.Message message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0 || frontier == null) {
      throw new Malformed("frontier");
    }
    frontier.receive(rank, message);
  }

  /// The lowest stamp that a delivery to come can have; only in a domain.
  ///
  /// @return the stamp
  public long bound() {
    return frontier == null ? Long.MAX_VALUE : frontier.bound(log);
  }

  /// A delivery of another group of the domain waits until everybody here has passed a stamp.
  ///
  /// @param stamp the stamp
  public void ask(long stamp) {
    if (frontier != null) {
      frontier.ask(stamp);
    }
  }

  /// What orders this view's multicasts to some members; null when nothing does.
  @Nullable SubsetMulticasts subsets() {
    return subsets;
  }

  private boolean subset(MemberId from, SubsetMessage message) throws Malformed {
    if (subsets == null) {
      throw new Malformed("subset multicast");
    }
    return subsets.receive(from, message);
  }

  /// A member asks how far the history is, or answers.
  private void read(MemberId from, ReadIndex.Message message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0) {
      throw new Malformed("read of a stranger");
    }
    reads.receive(rank, message, writtenNext());
  }

  /// Asks the others how far the history is, for questions that have no answer yet.
  ///
  /// @param asked   how many questions there were ever
  /// @param settled how many of them have their answer
  /// @return how many have it now; see [ReadIndex#flush]
  public long read(long asked, long settled) {
    return reads.flush(asked, settled, writtenNext(), deliveries.deliveredNext());
  }

  void suspicionChanged() {
    orders.suspicionChanged();
  }

  /// The view is wedged.
  void stop() {
    orders.stop();
    early.stop();
    room.clear();
    if (frontier != null) {
      frontier.stop();
    }
  }

  private void stability(MemberId from, Stability.Message message) throws Malformed {
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
  public boolean deliver() {
    orders.flush();
    boolean news = subsets != null && subsets.flush();
    stability.progress(writtenNext(), deliveries.consumedNext());
    return early.deliver() | deliverNext(stability.decidedNext()) | news;
  }

  /// The index behind what this member holds, and will even if it is restarted.
  private long writtenNext() {
    return journal == null ? log.heldNext() : Math.min(log.heldNext(), journal.next());
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
  public void flush() {
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
  /// batch, or one that was passed on, may still be in a packet that is not acknowledged, and be sent again with
  /// something else in it. That goes to members of this view, who have taken it, so that they drop it unread; unless it
  /// was sent in an earlier view, to one who may not have it and may still be there.
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
  ///
  /// @param bytesMax how many
  /// @return them
  public List<MemberId> lagging(long bytesMax) {
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

  /// What the members' applications have taken, as far as this member knows.
  ///
  /// @return by rank, the index behind it; a copy
  public long[] consumed() {
    long[] consumed = stability.consumed();
    consumed[self] = deliveries.consumedNext(); // which is said with what is sent next
    return consumed;
  }

  /// How far a view's history is, as one member knows it.
  ///
  /// @param view      the view
  /// @param self      this member's rank
  /// @param ordering  decides places
  /// @param heldNext  the index behind what this member holds
  /// @param knownNext the index behind the last known place
  /// @param next      the rank of whose batch stands at `heldNext`, if that place is known
  /// @param unplaced  whether there are batches without a place
  /// @param delivered the index behind what is delivered here
  /// @param held      the index behind what each member is known to hold, by rank
  /// @param consumed  the index behind what each member's application has taken, by rank
  /// @param subset    the multicast to some members that is to come to its end next, or null
  /// @param bytes     how much of this member's window is taken up by what is not taken from an index on
  public record Progress(
      View view,
      int self,
      Ordering ordering,
      long heldNext,
      long knownNext,
      int next,
      boolean unplaced,
      long delivered,
      long[] held,
      long[] consumed,
      SubsetMulticasts.@Nullable Open subset,
      LongUnaryOperator bytes) {}

  /// How far this history is.
  ///
  /// @param bytes how much of this member's window is taken up by what is not taken from an index on
  /// @return as far as it is known here
  public Progress progress(LongUnaryOperator bytes) {
    boolean misses = log.knownNext() > log.heldNext();
    return new Progress(
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

  /// What is held here that a member is not known to hold.
  ///
  /// @param traffic   its messages, and the bytes of their batches
  /// @param positions how many positions there are in it
  public record Lag(GroupMetrics.Traffic traffic, long positions) {}

  /// What is held here that each member is not known to hold.
  ///
  /// @return by rank; for this member nothing
  public List<Lag> lags() {
    long[] held = stability.held();
    long[] messages = new long[held.length];
    long[] bytes = new long[held.length];
    long[] positions = new long[held.length];
    for (long index = log.first(); index < log.heldNext(); index++) {
      Batch batch = log.at(index);
      for (int rank = 0; rank < held.length; rank++) {
        if (rank != self && held[rank] <= index) {
          messages[rank] += batch.count();
          bytes[rank] += batch.payload().remaining();
          positions[rank] += batch.positions();
        }
      }
    }
    return IntStream.range(0, held.length)
        .mapToObj(rank -> new Lag(new GroupMetrics.Traffic(messages[rank], bytes[rank]), positions[rank]))
        .toList();
  }

  /// How many positions there are in what is held here and not delivered.
  ///
  /// @return the number
  public long positionsUndelivered() {
    long positions = 0;
    for (long at = Math.max(log.first(), deliveries.deliveredNext()); at < log.heldNext(); at++) {
      positions += log.at(at).positions();
    }
    return positions;
  }

  /// When [#flush] has something to say even if nothing happens.
  ///
  /// @return nanoseconds
  public long deadline() {
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
    if (journal != null) {
      journal.adopted(log);
    }
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
    dissemination.check();
    orders.check();
    early.check();
    reads.check();
    if (subsets != null) {
      subsets.check();
    }
    Invariant.check(inForce.getLast() == log.ordering(), "the ordering in force is going to be told");
    long delivered = deliveries.deliveredNext();
    Invariant.check(
        log.indexFirst() <= delivered && log.first() <= delivered, "nothing is forgotten that is not delivered");
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

  /// Where a view's history goes when it is decided, and who knows how far the application has come with it.
  public sealed interface Deliverer permits Deliveries, Branch {
    /// The index behind what is delivered.
    ///
    /// @return the index
    long deliveredNext();

    /// A batch has its place and is decided, in the order of places.
    ///
    /// @param index the place
    /// @param batch what stands there
    void deliver(long index, Batch batch);

    /// A batch of a weak service may be delivered, although it has no place yet.
    ///
    /// @param batch the batch
    void deliverEarly(Batch batch);

    /// What this member says of its consumption.
    ///
    /// @return the index behind what its application has consumed
    long consumedNext();

    /// What nothing refers to any more that got it from here.
    ///
    /// @return the index behind what the application has consumed and nobody keeps for it; never too high
    long consumedBelow();

    /// Nothing here refers any more to a batch of this member that is below [#consumedBelow], but packets that their
    /// receivers have taken: to these it does not matter if they come again with something else in them.
    ///
    /// @param batch the batch
    void giveBack(Batch batch);

    /// Every application has consumed all below an index.
    ///
    /// @param index the index
    void consumedByAll(long index);
  }

  /// One view's history, as view changes see it.
  static final class KeptLog implements KeptHistory {
    private @Nullable ViewHistory current;

    @Nullable ViewHistory current() {
      return current;
    }

    void set(@Nullable ViewHistory history) {
      current = history;
    }

    boolean isOf(ViewId view) {
      return current != null && current.view().id().equals(view);
    }

    @Override
    public @Nullable ViewId of() {
      return current == null ? null : current.view().id();
    }

    @Override
    public Knowledge.@Nullable History report() {
      ViewHistory history = current;
      return history == null ? null : new Knowledge.History(history.view().id(), history.tail());
    }

    @Override
    public boolean allows(Knowledge.History report) {
      return current == null || !isOf(report.view()) || current.log().allows(report.tail());
    }

    @Override
    public boolean fits(Cut cut) {
      return current != null && current.log().fits(cut, current.deliveredNext());
    }

    @Override
    public boolean holds(Cut cut) {
      return current != null && current.log().holds(cut);
    }

    @Override
    public long missingFrom(Cut cut, int rank) {
      return current == null ? 0 : current.log().missingFrom(cut, rank);
    }

    @Override
    public boolean supplied(ViewId of, int rank, Batch batch) {
      ViewHistory history = current;
      return history != null
          && isOf(of)
          && rank < history.view().size()
          && history.view().members().get(rank).equals(batch.sender())
          && history.supplied(rank, batch);
    }

    @Override
    public @Nullable Batch find(ViewId of, int rank, long seq) {
      ViewHistory history = current;
      return history != null && isOf(of) ? history.log().find(rank, seq) : null;
    }
  }
}
