package org.tutti.consensus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.consensus.ChandraToueg.Message;
import org.tutti.consensus.ChandraToueg.Message.Ack;
import org.tutti.consensus.ChandraToueg.Message.Decide;
import org.tutti.consensus.ChandraToueg.Message.Estimate;
import org.tutti.consensus.ChandraToueg.Message.Nack;
import org.tutti.consensus.ChandraToueg.Message.Propose;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Consensus with a rotating coordinator, a quorum and an unreliable failure detector, for a sequence of instances.
///
/// Guarantee: [Consensus]'s contract. After T. Chandra and S. Toueg, "Unreliable failure detectors for reliable
/// distributed systems", JACM 43(2), 1996, figure 6 (`<>S`). Deviations: all instances share the round, so the
/// estimate phase is gone through once for all of them and a coordinator that succeeds stays; the coordinator's value
/// is asked for when it is proposed; a member goes to another round only when it waits in vain, and may leave rounds
/// out; a coordinator with a nack goes on while others suffice; decisions are relayed on demand instead of by
/// everybody.
///
/// ```
///   coordinator of round r          member
///     | <- Estimate(r, adopted) ------- |   not in round 1: what it adopted last, and in which round
///     | -- Propose(r, k, value) ------> |   the value adopted in the latest round, or one of its own
///     | <- Ack(r) / Nack(r' > r) ------ |   adopted, or given up
///     | -- Decide(k, value) ----------> |   a quorum has adopted it
/// ```
///
/// Why it is safe: a member adopts only in the latest round that it has entered, and tells the next coordinator what it
/// has adopted when it enters that round. Two quorums share a member; so once a quorum has adopted a value in a round,
/// every coordinator of a later round hears of it, and the latest round that it hears of is of the same value.
///
/// Decisions are a beginning of what one coordinator proposed: what was adopted in earlier rounds than the latest is
/// void in all instances that the latest did not reach. A value may rely on those before it.
///
/// @param <V> the values' type
public final class ChandraToueg<V> implements Consensus<Message<V>> {
  /// How many instances a coordinator has under way at once.
  public static final int PIPELINE = 8;

  private static final Effects.Timer PATIENCE = new Effects.Timer("patience");
  private static final int PATIENCE_FACTOR_MAX = 1 << 6;
  private static final int AHEAD_MAX = 1 << 10; // further ahead of what is decided here nobody gets

  private final int self;
  private final View view;
  private final Consensus.Panel panel;
  private final Effects<Message<V>> effects;
  private final User<V> user;
  private final NavigableMap<Long, V> values = new TreeMap<>(); // decided below decidedNext, adopted above
  private final List<@Nullable Estimate<V>> estimates; // by rank, the last one, for a round that may become mine
  private final long[] rounds; // by rank, the latest one that a member is known to be in
  private final long[] told; // by rank, which round of mine a member was told of
  private final long[] acked; // by rank, behind what it has adopted in this round; coordinator only
  private final long[] knownNext; // by rank, behind what it is known to have decided
  private long round = 1;
  private long roundNext; // behind the last proposal in this round, or -1 when it has not begun
  private boolean leading;
  private boolean ackDue;
  private long adoptedIn = 1; // the last round in which anything was, and all that is adopted and not decided
  private long decidedNext;
  private long keptFirst; // all members have decided all below
  private long saidDecided; // coordinator only
  private long patience;
  private long progressAt;
  private boolean waiting;
  private boolean armed;

  /// Begins with instance 0.
  ///
  /// @param panel   who decides
  /// @param effects how to reach the others
  /// @param user    who proposes and wants the decisions
  public ChandraToueg(Consensus.Panel panel, Effects<Message<V>> effects, User<V> user) {
    this.self = panel.self();
    this.view = panel.view();
    this.panel = panel;
    this.effects = effects;
    this.user = user;
    int size = view.size();
    this.estimates = new ArrayList<>(Collections.nCopies(size, null));
    this.rounds = new long[size];
    this.told = new long[size];
    this.acked = new long[size];
    this.knownNext = new long[size];
    Arrays.fill(rounds, 1);
    Arrays.fill(told, 1);
    this.leading = coordinator(round) == self;
    this.patience = panel.patience().toNanos();
  }

  private int coordinator(long of) {
    return (int) ((of - 1) % view.voters()); // observers do not decide
  }

  @Override
  public void receive(MemberId from, Message<V> message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0 || rank == self) {
      throw new Malformed("consensus of a stranger");
    }
    switch (message) {
      case Estimate<V> estimate -> estimate(rank, estimate);
      case Propose<V> propose -> proposed(rank, propose);
      case Ack<V>(long of, long next, long decided) -> acked(rank, of, next, decided);
      case Nack<V>(long of, long decided) -> nacked(rank, of, decided);
      case Decide<V>(long first, List<V> decisions) -> decided(rank, first, decisions);
    }
  }

  // ---- phase 1: a member enters a round and tells its coordinator what it has adopted ----------------------------

  /// Gives up on the round: from now on nothing is adopted in it.
  private void enter(long next) {
    round = next;
    rounds[self] = next;
    leading = false;
    ackDue = false;
    roundNext = -1;
    progressAt = effects.nowNanos();
    int coordinator = coordinator(next);
    for (int rank = 0; rank < view.size(); rank++) {
      if (rank != self) {
        told[rank] = next;
        effects.send(member(rank), rank == coordinator ? estimateFor(rank) : new Nack<>(next, decidedNext));
      }
    }
    if (coordinator == self) {
      leadIfQuorum(next);
    }
  }

  private Estimate<V> estimateFor(int coordinator) {
    long first = Math.max(keptFirst, Math.min(knownNext[coordinator], decidedNext));
    List<V> adopted = List.copyOf(values.tailMap(decidedNext, true).values());
    return new Estimate<>(round, first, valuesFrom(first, decidedNext), adoptedIn, adopted);
  }

  private List<V> valuesFrom(long first, long end) {
    List<V> list = new ArrayList<>();
    for (long instance = first; instance < end; instance++) {
      list.add(value(instance));
    }
    return list;
  }

  private long nextRound() {
    long next = Math.max(round + 1, Arrays.stream(rounds).max().orElseThrow());
    for (int i = 0; i < view.voters() && coordinator(next) != self && panel.suspects().test(coordinator(next)); i++) {
      next++;
    }
    return next;
  }

  // ---- phase 2: the coordinator hears what a quorum has adopted, and proposes it again ----------------------------

  private void estimate(int from, Estimate<V> estimate) throws Malformed {
    boolean possible = estimate.first() <= decidedNext && estimate.since() < estimate.round();
    if (coordinator(estimate.round()) != self || !possible) {
      throw new Malformed("estimate");
    }
    heard(from, estimate.round(), estimate.decidedNext());
    learn(estimate.first(), estimate.decided());
    if (isLeft(estimate.round())) {
      tell(from);
    } else if (estimate.round() > round || !leading) {
      estimates.set(from, estimate);
      leadIfQuorum(estimate.round());
    }
    relay(from);
    reconsider();
  }

  /// A member that enters rounds may lack a decision that nobody else waits for. A coordinator has told everybody.
  private void relay(int to) {
    long first = Math.max(keptFirst, knownNext[to]);
    if (!leading && first < decidedNext) {
      effects.send(member(to), new Decide<>(first, valuesFrom(first, decidedNext)));
    }
  }

  /// Becomes coordinator when a quorum has come to a round of this member, itself included.
  private void leadIfQuorum(long of) {
    if (!panel.quorum().test(rank -> rank == self || isFor(of, estimates.get(rank)))) {
      return;
    }
    if (round < of) {
      enter(of);
    } else {
      lead();
    }
  }

  private boolean isFor(long of, @Nullable Estimate<V> estimate) {
    return estimate != null && estimate.round() == of;
  }

  private void lead() {
    for (Estimate<V> estimate : estimates) {
      if (estimate != null && estimate.round() == round) {
        takeOver(estimate);
      }
    }
    adoptedIn = round;
    Collections.fill(estimates, null);
    Arrays.fill(acked, 0);
    leading = true;
    roundNext = adoptedNext();
    forget(decidedByAll());
    saidDecided = keptFirst;
    sayDecisions(); // before the proposals: nobody may have a gap before them
    List<V> before = valuesFrom(decidedNext, roundNext);
    effects.broadcast(new Propose<>(round, decidedNext, before, keptFirst));
    user.lead(before);
  }

  /// What was adopted in the latest round counts, in all instances together.
  private void takeOver(Estimate<V> estimate) {
    if (estimate.since() >= adoptedIn) {
      reach(estimate.since());
      long instance = estimate.decidedNext();
      for (V value : estimate.adopted()) {
        if (instance >= decidedNext) {
          values.put(instance, value);
        }
        instance++;
      }
    }
  }

  /// What was adopted in earlier rounds and not decided is void: a round begins with all of it that may be decided.
  private void reach(long later) {
    if (adoptedIn < later) {
      adoptedIn = later;
      values.tailMap(decidedNext, true).clear();
    }
  }

  private long adoptedNext() {
    return values.isEmpty() ? decidedNext : Math.max(decidedNext, values.lastKey() + 1);
  }

  private void proposeMore() {
    long first = roundNext;
    while (roundNext - decidedNext < PIPELINE) {
      V value = user.propose(roundNext);
      if (value == null) {
        break;
      }
      values.put(roundNext++, value);
    }
    if (first < roundNext) {
      effects.broadcast(new Propose<>(round, first, valuesFrom(first, roundNext), keptFirst));
    }
  }

  // ---- phase 3: a member adopts, or says that it is in a later round ----------------------------------------------

  private void proposed(int from, Propose<V> propose) throws Malformed {
    boolean begins = propose.round() > round || roundNext < 0;
    if (coordinator(propose.round()) != from || propose.end() > decidedNext + AHEAD_MAX) {
      throw new Malformed("proposal");
    }
    if (isLeft(propose.round())) {
      tell(from);
      return;
    }
    if (begins ? propose.first() > decidedNext : propose.first() != roundNext) {
      throw new Malformed("proposal");
    }
    adopt(propose);
    rounds[from] = Math.max(rounds[from], propose.round());
    forget(propose.decidedByAll());
  }

  private void adopt(Propose<V> propose) {
    round = propose.round();
    rounds[self] = round;
    leading = false;
    reach(round);
    roundNext = propose.first();
    for (V value : propose.values()) {
      if (roundNext >= decidedNext) {
        values.put(roundNext, value);
      }
      roundNext++;
    }
    ackDue = true;
    progressAt = effects.nowNanos();
  }

  private boolean isLeft(long of) {
    return of < round;
  }

  private void tell(int rank) {
    if (told[rank] < round) {
      told[rank] = round;
      effects.send(member(rank), new Nack<>(round, decidedNext));
    }
  }

  // ---- phase 4: what a quorum has adopted is decided --------------------------------------------------------------

  private void acked(int from, long of, long next, long itsDecidedNext) throws Malformed {
    if (of > round || of == round && (!leading || next > roundNext)) {
      throw new Malformed("ack");
    }
    heard(from, of, itsDecidedNext);
    if (of == round) {
      acked[from] = Math.max(acked[from], next);
      decideAdopted();
    }
  }

  private void decideAdopted() {
    while (decidedNext < roundNext && panel.quorum().test(rank -> rank == self || acked[rank] > decidedNext)) {
      decide(value(decidedNext));
    }
  }

  private V value(long instance) {
    V value = values.get(instance);
    if (value == null) {
      throw new IllegalStateException("no value in instance " + instance);
    }
    return value;
  }

  private void nacked(int from, long of, long itsDecidedNext) {
    heard(from, of, itsDecidedNext);
    reconsider();
  }

  /// A round that too many have left decides nothing any more. One that has not begun is left for a later one: members
  /// that go from round to round on their own, each a little later than the last, would never meet.
  private void reconsider() {
    long latest = Arrays.stream(rounds).max().orElseThrow();
    boolean vain = !leading && roundNext < 0 || !panel.quorum().test(rank -> rounds[rank] <= round);
    if (vain && latest > round) {
      enter(latest);
    }
  }

  private void sayDecisions() {
    long first = Math.max(saidDecided, keptFirst);
    if (first < decidedNext) {
      effects.broadcast(new Decide<>(first, valuesFrom(first, decidedNext)));
      saidDecided = decidedNext;
    }
  }

  private void decided(int from, long first, List<V> decisions) throws Malformed {
    if (first > decidedNext) {
      throw new Malformed("decision");
    }
    knownNext[from] = Math.max(knownNext[from], first + decisions.size());
    learn(first, decisions);
  }

  private void learn(long first, List<V> decisions) {
    long instance = first;
    for (V decision : decisions) {
      if (instance++ == decidedNext) {
        decide(decision);
      }
    }
    if (leading && decidedNext > roundNext) { // a later round has decided what this one has not proposed
      enter(nextRound());
    }
  }

  private void decide(V value) {
    values.put(decidedNext, value);
    patience = Math.max(panel.patience().toNanos(), patience - patience / 16);
    progressAt = effects.nowNanos();
    user.decided(decidedNext++, value);
  }

  // ---- who is how far ---------------------------------------------------------------------------------------------

  private void heard(int from, long of, long itsDecidedNext) {
    rounds[from] = Math.max(rounds[from], of);
    knownNext[from] = Math.max(knownNext[from], itsDecidedNext);
  }

  private long decidedByAll() {
    knownNext[self] = decidedNext;
    return Arrays.stream(knownNext).min().orElseThrow();
  }

  private void forget(long decidedByAll) {
    long end = Math.min(decidedByAll, decidedNext);
    while (keptFirst < end) {
      values.remove(keptFirst++);
    }
  }

  private MemberId member(int rank) {
    return view.members().get(rank);
  }

  @Override
  public void flush() {
    if (leading) {
      forget(decidedByAll());
      long before;
      do {
        before = roundNext;
        proposeMore();
        decideAdopted(); // whoever is a quorum alone decides at once
        sayDecisions();
      } while (before < roundNext);
    } else if (ackDue) {
      ackDue = false;
      effects.send(member(coordinator(round)), new Ack<>(round, roundNext, decidedNext));
    }
    watch();
  }

  // ---- patience with a round --------------------------------------------------------------------------------------

  private void watch() {
    boolean nowWaiting = adoptedNext() > decidedNext || user.isWaiting();
    if (nowWaiting && !waiting) {
      progressAt = effects.nowNanos();
    }
    waiting = nowWaiting;
    arm(patience);
  }

  private void arm(long nanos) {
    if (waiting && !armed) {
      armed = true;
      effects.schedule(PATIENCE, Duration.ofNanos(nanos));
    }
  }

  @Override
  public void expire() {
    armed = false;
    long silent = effects.nowNanos() - progressAt;
    if (waiting && silent >= patience) {
      patience = Math.min(2 * patience, PATIENCE_FACTOR_MAX * panel.patience().toNanos());
      enter(nextRound());
    } else {
      arm(patience - silent);
    }
  }

  @Override
  public void suspicionChanged() {
    int coordinator = coordinator(round);
    if (coordinator != self && panel.suspects().test(coordinator)) {
      enter(nextRound());
    }
  }

  @Override
  public void check() {
    Invariant.check(rounds[self] == round && adoptedIn <= round, "nothing is adopted in a round that is to come");
    Invariant.check(keptFirst <= decidedNext, "only what is decided is forgotten");
    Invariant.check(
        values.isEmpty()
            ? keptFirst == decidedNext
            : values.firstKey() == keptFirst && values.lastKey() - keptFirst + 1 == values.size(),
        "values go from the first that somebody may lack on without a gap");
    Invariant.check(values.isEmpty() || values.lastKey() + 1 >= decidedNext, "what is decided and kept has a value");
    Invariant.check(!leading || coordinator(round) == self, "only a round's coordinator leads it");
    Invariant.check(!leading || roundNext == adoptedNext(), "a coordinator has proposed what it has adopted");
    for (int rank = 0; rank < told.length; rank++) {
      Invariant.check(told[rank] <= round, "nobody is told of a round that this member is not in");
      Invariant.check(!leading || acked[rank] <= roundNext, "nobody has adopted what was not proposed");
    }
  }

  /// What members of [ChandraToueg] say. Rounds count from 1; instances from 0.
  ///
  /// @param <V> the values' type
  public sealed interface Message<V> {
    /// To a round's coordinator: I am in your round, and this is what I bring.
    ///
    /// @param round   the round
    /// @param first   an instance; its coordinator has decided all below
    /// @param decided the decisions of this and the following instances
    /// @param since   the last round in which this member has adopted anything; the source's timestamp
    /// @param adopted the values adopted in that round, in the instances after those that are decided
    /// @param <V>     the values' type
    record Estimate<V>(long round, long first, List<V> decided, long since, List<V> adopted) implements Message<V> {
      long decidedNext() {
        return first + decided.size();
      }
    }

    /// To all: adopt these.
    ///
    /// @param round        the round
    /// @param first        the instance of the first value
    /// @param values       the values for this and the following instances
    /// @param decidedByAll every member has decided all below this instance
    /// @param <V>          the values' type
    record Propose<V>(long round, long first, List<V> values, long decidedByAll) implements Message<V> {
      long end() {
        return first + values.size();
      }
    }

    /// To a round's coordinator: I have adopted.
    ///
    /// @param round       the round
    /// @param next        the instance behind the last one whose proposal was adopted
    /// @param decidedNext the instance behind the last one that is decided here
    /// @param <V>         the values' type
    record Ack<V>(long round, long next, long decidedNext) implements Message<V> {}

    /// I am in this round and adopt nothing in an earlier one.
    ///
    /// @param round       the round
    /// @param decidedNext the instance behind the last one that is decided here
    /// @param <V>         the values' type
    record Nack<V>(long round, long decidedNext) implements Message<V> {}

    /// These are decided.
    ///
    /// @param first  the instance of the first value
    /// @param values the values of this and the following instances
    /// @param <V>    the values' type
    record Decide<V>(long first, List<V> values) implements Message<V> {}

    /// The values in a message.
    ///
    /// @return all of them
    default List<V> values() {
      return switch (this) {
        case Estimate<V> estimate -> {
          List<V> all = new ArrayList<>(estimate.decided);
          all.addAll(estimate.adopted);
          yield all;
        }
        case Propose<V> propose -> propose.values;
        case Decide<V> decide -> decide.values;
        case Ack<V> _, Nack<V> _ -> List.of();
      };
    }

    /// The bytes of messages.
    ///
    /// @param value the bytes of a value, at least one
    /// @param <V>   the values' type
    /// @return a codec
    static <V> Codec<Message<V>> codec(Codec<V> value) {
      return new Bytes<>(value);
    }

    /// The bytes of messages: a type, then the components.
    ///
    /// @param value the bytes of a value
    /// @param <V>   the values' type
    record Bytes<V>(Codec<V> value) implements Codec<Message<V>> {
      private static final long ROUND_MAX = 1L << 40;
      private static final long INSTANCE_MAX = 1L << 60;
      private static final int ESTIMATE = 1;
      private static final int PROPOSE = 2;
      private static final int ACK = 3;
      private static final int NACK = 4;
      private static final int DECIDE = 5;

      @Override
      public void write(Message<V> message, WireWriter out) {
        switch (message) {
          case Estimate<V>(long round, long first, List<V> decided, long since, List<V> adopted) -> {
            out.u8(ESTIMATE);
            out.count(round);
            out.count(first);
            write(decided, out);
            out.count(since);
            write(adopted, out);
          }
          case Propose<V>(long round, long first, List<V> values, long decidedByAll) -> {
            out.u8(PROPOSE);
            out.count(round);
            out.count(first);
            write(values, out);
            out.count(decidedByAll);
          }
          case Ack<V>(long round, long next, long decidedNext) -> {
            out.u8(ACK);
            out.count(round);
            out.count(next);
            out.count(decidedNext);
          }
          case Nack<V>(long round, long decidedNext) -> {
            out.u8(NACK);
            out.count(round);
            out.count(decidedNext);
          }
          case Decide<V>(long first, List<V> values) -> {
            out.u8(DECIDE);
            out.count(first);
            write(values, out);
          }
        }
      }

      private void write(List<V> values, WireWriter out) {
        out.count(values.size());
        values.forEach(one -> value.write(one, out));
      }

      @Override
      public Message<V> read(WireReader in) throws Malformed {
        return switch (in.u8()) {
          case ESTIMATE -> new Estimate<>(round(in), instance(in), values(in), round(in), values(in));
          case PROPOSE -> new Propose<>(round(in), instance(in), values(in), instance(in));
          case ACK -> new Ack<>(round(in), instance(in), instance(in));
          case NACK -> new Nack<>(round(in), instance(in));
          case DECIDE -> new Decide<>(instance(in), values(in));
          default -> throw new Malformed("consensus message");
        };
      }

      private List<V> values(WireReader in) throws Malformed {
        return in.list(1, value::read);
      }

      private static long round(WireReader in) throws Malformed {
        long round = atMost(ROUND_MAX, in.count());
        if (round == 0) {
          throw new Malformed("consensus number");
        }
        return round;
      }

      private static long instance(WireReader in) throws Malformed {
        return atMost(INSTANCE_MAX, in.count());
      }

      private static long atMost(long max, long number) throws Malformed {
        if (number > max) {
          throw new Malformed("consensus number");
        }
        return number;
      }
    }
  }
}
