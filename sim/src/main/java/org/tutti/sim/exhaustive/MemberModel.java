package org.tutti.sim.exhaustive;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.tutti.Guarantee;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.consensus.ChandraToueg;
import org.tutti.dissemination.Disseminator;
import org.tutti.dissemination.Transmission;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.order.Clock;
import org.tutti.order.ConsensusOrder;
import org.tutti.order.Cut;
import org.tutti.order.FixedSequencer;
import org.tutti.order.HoldBackQueue;
import org.tutti.order.Log;
import org.tutti.order.Skeen;
import org.tutti.order.Stability;
import org.tutti.order.Symmetric;
import org.tutti.order.Tail;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.wire.Malformed;

/// One member in one primary view: the production's log, clock, ordering, stability and dissemination, connected as the
/// engine's `ViewHistory` connects them. The application consumes nothing, because consumption only opens windows.
///
/// @param <M> the ordering's messages
final class MemberModel<M> {
  private static final int SENDER = 1 << 8; // a delivery as a number: sender's rank * SENDER + batch's number

  /// What a member says.
  record Letter(int to, Action.Message message) {}

  private final int self;
  private final View view;
  private final Clock clock = new Clock();
  private final Log log;
  private final HoldBackQueue room;
  private final Disseminator dissemination;
  private final TotalOrder<M> order;
  private final Stability stability;
  private final List<Letter> said = new ArrayList<>();
  private final ArrayDeque<M> toSelf = new ArrayDeque<>();
  private final List<Integer> delivered = new ArrayList<>();
  private int sent;
  private Transmission.Way way = Transmission.Way.STAR; // of the multicast at hand

  private MemberModel(
      BoundedModel scenario, int self, BiFunction<TotalOrder.Context, Outlet<M>, TotalOrder<M>> ordering) {
    this.self = self;
    this.view = scenario.view();
    Stability.Quorum quorum = scenario::isQuorum;
    this.log =
        new Log(
            view,
            self,
            0,
            scenario.ordering(),
            to -> {
              throw new IllegalStateException("nobody asked for a switch");
            });
    this.room = new HoldBackQueue(log, Long.MAX_VALUE);
    this.dissemination =
        new Disseminator(
            view, self, _ -> way, new Port<>(Action.Message.Batched::new, new ArrayDeque<>()), new Counters());
    var context = new TotalOrder.Context(self, view, 0, quorum, clock, rank -> false, Duration.ofSeconds(1));
    this.order = ordering.apply(context, new Outlet<>(new Port<>(Action.Message.Order::new, toSelf), this::place));
    this.stability =
        new Stability(
            self,
            view,
            0,
            Guarantee.UNIFORM,
            quorum,
            Long.MAX_VALUE,
            new Port<>(Action.Message.Held::new, new ArrayDeque<>()));
  }

  private record Outlet<M>(Effects<M> effects, TotalOrder.Places places) {}

  static MemberModel<?> of(BoundedModel scenario, int self) {
    return switch (scenario.ordering()) {
      case SEQUENCER ->
          new MemberModel<FixedSequencer.Message>(
              scenario, self, (context, out) -> new FixedSequencer(context, out.effects, out.places));
      case SKEEN ->
          new MemberModel<Skeen.Message>(scenario, self, (context, out) -> new Skeen(context, out.effects, out.places));
      case SYMMETRIC ->
          new MemberModel<Symmetric.Message>(
              scenario, self, (context, out) -> new Symmetric(context, out.effects, out.places));
      case CONSENSUS ->
          new MemberModel<ChandraToueg.Message<List<ConsensusOrder.LaneEnd>>>(
              scenario, self, (context, out) -> new ConsensusOrder(context, out.effects, out.places));
    };
  }

  private void place(int rank, long seq) {
    Invariant.check(log.place(rank, seq), "an ordering gives only places that can be");
  }

  /// Takes an input.
  ///
  /// @return what the member says because of it
  /// @throws Malformed when an honest member's message is refused
  List<Letter> take(Action input) throws Malformed {
    switch (input) {
      case Action.Multicast(Transmission.Way chosen) -> {
        way = chosen;
        multicast();
      }
      case Action.Flush() -> flush();
      case Action.Arrival(int from, Action.Message message) -> arrived(from, message);
    }
    while (!toSelf.isEmpty()) {
      order.receive(view.members().get(self), toSelf.remove());
    }
    List<Letter> letters = List.copyOf(said);
    said.clear();
    return letters;
  }

  private void multicast() {
    ByteBuffer payload = ByteBuffer.wrap(new byte[1]);
    var batch =
        new Batch(view.members().get(self), sent++, Batch.Kind.TOTAL, clock.tick(), CausalPast.NONE, 1, payload);
    dissemination.send(batch);
    Invariant.check(log.add(self, batch), "own batches are sent in order");
    order.arrived(self, batch.seq(), batch.stamp());
  }

  @SuppressWarnings("unchecked") // all members have the same ordering
  private void arrived(int from, Action.Message message) throws Malformed {
    switch (message) {
      case Action.Message.Batched(Transmission transmission) -> batch(from, transmission);
      case Action.Message.Order(Object content) -> order.receive(view.members().get(from), (M) content);
      case Action.Message.Held(Stability.Message content) -> stability.receive(from, content);
    }
  }

  private void batch(int from, Transmission message) throws Malformed {
    int rank = dissemination.sender(view.members().get(from), message);
    boolean taken = room.enter(rank, message.batch(), message.first(), message.apart());
    Invariant.check(taken, "batches come in order, or have overtaken others");
    dissemination.forward(message);
    for (Batch next = room.next(); next != null; next = room.next()) {
      int sender = view.rankOf(next.sender());
      Invariant.check(log.add(sender, next), "what leaves the queue is the sender's next one");
      clock.witness(next.stamp());
      order.arrived(sender, next.seq(), next.stamp());
    }
  }

  private void flush() {
    int before;
    do {
      before = delivered.size();
      order.flush();
      stability.progress(log.heldNext(), 0);
      deliverUpTo(stability.decidedNext());
    } while (delivered.size() > before);
    stability.flush();
    log.dropBefore(Math.min(stability.heldByAll(), delivered.size()));
  }

  private void deliverUpTo(long end) {
    while (delivered.size() < end) {
      Batch batch = log.at(delivered.size());
      delivered.add(delivery(view.rankOf(batch.sender()), (int) batch.seq()));
    }
  }

  private void broadcast(Action.Message message) {
    for (int rank = 0; rank < view.size(); rank++) {
      if (rank != self) {
        said.add(new Letter(rank, message));
      }
    }
  }

  // ---- the end of the view ---------------------------------------------------------------------------------------

  MemberId id() {
    return view.members().get(self);
  }

  Tail tail() {
    return log.tail(Math.max(delivered.size(), stability.decidedNext()));
  }

  /// Ends the history, with what it misses from those who have it.
  void end(Cut cut, Function<MemberId, MemberModel<?>> members) {
    for (int rank = 0; rank < view.size(); rank++) {
      Log source = members.apply(cut.sources().get(rank)).log;
      for (long seq = log.missingFrom(cut, rank); seq < cut.batchNext(rank); seq++) {
        Batch batch = source.find(rank, seq);
        Invariant.check(batch != null && log.add(rank, batch), "who is named as a source has the batches");
      }
    }
    log.adopt(cut, delivered.size());
    deliverUpTo(cut.end());
    log.check();
  }

  /// Fails when an invariant of a protocol does not hold.
  void check() {
    log.check();
    room.check();
    dissemination.check();
    order.check();
    stability.check(log.heldNext(), log.first());
    Invariant.check(delivered.size() <= stability.decidedNext(), "only what is decided is delivered");
  }

  // ---- what can be seen of it ------------------------------------------------------------------------------------

  static int delivery(int rank, int seq) {
    return rank * SENDER + seq;
  }

  static int sender(int delivery) {
    return delivery / SENDER;
  }

  static int number(int delivery) {
    return delivery % SENDER;
  }

  int[] delivered() {
    return delivered.stream().mapToInt(Integer::intValue).toArray();
  }

  int sent() {
    return sent;
  }

  String snapshot() {
    return new StateText()
        .add(sent)
        .add(delivered)
        .add(clock)
        .add(log)
        .add(room)
        .add(dissemination)
        .add(order)
        .add(stability)
        .toString();
  }

  /// What a protocol says, as letters.
  private final class Port<T> implements Effects<T> {
    private final Function<T, Action.Message> wrap;
    private final ArrayDeque<T> own;

    Port(Function<T, Action.Message> wrap, ArrayDeque<T> own) {
      this.wrap = wrap;
      this.own = own;
    }

    @Override
    public void send(MemberId to, T message) {
      int rank = view.rankOf(to);
      if (rank == self) {
        own.add(message);
      } else {
        said.add(new Letter(rank, wrap.apply(message)));
      }
    }

    @Override
    public void broadcast(T message) {
      MemberModel.this.broadcast(wrap.apply(message));
    }

    /// No timer runs out: what is looked at is what follows from inputs.
    @Override
    public void schedule(Effects.Timer timer, Duration after) {}

    @Override
    public void cancel(Effects.Timer timer) {}

    @Override
    public long nowNanos() {
      return 0;
    }

    @Override
    public RandomGenerator random() {
      throw new UnsupportedOperationException("randomness is not enumerated");
    }
  }
}
