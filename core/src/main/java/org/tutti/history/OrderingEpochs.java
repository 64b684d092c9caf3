package org.tutti.history;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.effect.Counters;
import org.tutti.effect.Effects;
import org.tutti.order.ConsensusOrder;
import org.tutti.order.FixedSequencer;
import org.tutti.order.Log;
import org.tutti.order.Skeen;
import org.tutti.order.SubsetMulticasts;
import org.tutti.order.Symmetric;
import org.tutti.order.TotalOrder;
import org.tutti.pack.Batch;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The orderings of one primary view, one after the other.
///
/// A batch that asks for a switch has a place in the history like any other. The places up to it are the old
/// ordering's, at every member; the places behind it are the new one's, which gets every batch that has none yet. So
/// deliveries go on while the group switches. The old ordering lives until every member holds the switch, for the sake
/// of members that need its answers to come that far.
///
/// A message is `count epoch, message`: the epoch counts the switches in the view. What comes for an epoch that has not
/// begun here waits; its sender is one of those that were faster.
public final class OrderingEpochs {
  private static final int EARLY_BYTES_MAX = 4 << 20;
  private static final int EARLY_OVERHEAD = 64;

  /// Opens ports for orderings.
  public interface PortFactory {
    /// Opens one.
    ///
    /// @param scope  keeps its timers apart from the others'
    /// @param codec  the ordering's
    /// @param inward where what it sends to itself comes back
    /// @param <M>    the ordering's messages
    /// @return the port
    <M> Effects<M> open(String scope, Codec<M> codec, Effects.Inward<M> inward);
  }

  private record Early(MemberId from, int epoch, ByteBuffer bytes) {}

  private final TotalOrder.Context view;
  private final Log log;
  private final PortFactory port;
  private final Counters counters;
  private final @Nullable SubsetMulticasts subsets; // ordered by the first ordering
  private final ArrayDeque<Epoch<?>> retiring = new ArrayDeque<>();
  private final List<Early> early = new ArrayList<>();
  private long earlyBytes;
  private Epoch<?> current;
  private @Nullable Ordering next; // a switch is held, and not yet carried out
  private boolean stopped;
  private boolean contradicted; // an ordering was led to a place that cannot be; none after it is taken

  OrderingEpochs(
      TotalOrder.Context view,
      Ordering first,
      Log log,
      PortFactory port,
      Counters counters,
      @Nullable SubsetMulticasts subsets) {
    this.view = view;
    this.log = log;
    this.port = port;
    this.counters = counters;
    this.subsets = subsets;
    this.current = open(0, first, view.indexFirst());
  }

  private Epoch<?> open(int number, Ordering ordering, long indexFirst) {
    var context =
        new TotalOrder.Context(
            view.self(), view.view(), indexFirst, view.quorum(), view.clock(), view.suspects(), view.heartbeat());
    return switch (ordering) {
      case SEQUENCER ->
          new Epoch<>(number, FixedSequencer.CODEC, (effects, places) -> new FixedSequencer(context, effects, places));
      case CONSENSUS ->
          new Epoch<>(number, ConsensusOrder.CODEC, (effects, places) -> new ConsensusOrder(context, effects, places));
      case SYMMETRIC ->
          new Epoch<>(number, Symmetric.CODEC, (effects, places) -> new Symmetric(context, effects, places));
      case SKEEN -> new Epoch<>(number, Skeen.CODEC, (effects, places) -> skeen(number, context, effects, places));
    };
  }

  private Skeen skeen(
      int number, TotalOrder.Context context, Effects<Skeen.Message> effects, TotalOrder.Places places) {
    var skeen = new Skeen(context, effects, places);
    if (number == 0 && subsets != null) {
      skeen.accompany(subsets);
    }
    return skeen;
  }

  /// The [Log] holds a switch.
  void switched(Ordering to) {
    next = to;
  }

  /// Whether what others said led to a place that cannot be.
  void refuseContradiction() throws Malformed {
    if (contradicted) {
      throw new Malformed("place");
    }
  }

  void arrived(int rank, Batch batch) {
    retiring.forEach(epoch -> epoch.order.arrived(rank, batch.seq(), batch.stamp()));
    if (next == null) { // or the next ordering gets it with the rest
      current.order.arrived(rank, batch.seq(), batch.stamp());
    }
    settle();
  }

  /// A message came from another member.
  ///
  /// @return whether there is room for it; if not, its sender has to be given up
  boolean receive(MemberId from, WireReader in) throws Malformed {
    refuseContradiction();
    int number = in.countUpTo(Integer.MAX_VALUE);
    if (number > current.number) {
      return keepEarly(from, number, in.rest());
    }
    if (number == current.number) {
      current.receive(from, in);
    } else {
      for (Epoch<?> epoch : retiring) {
        if (epoch.number == number) {
          epoch.receive(from, in);
        }
      }
    }
    settle();
    refuseContradiction();
    return true;
  }

  private boolean keepEarly(MemberId from, int number, ByteBuffer bytes) {
    earlyBytes += bytes.remaining() + EARLY_OVERHEAD;
    if (earlyBytes > EARLY_BYTES_MAX) {
      return false;
    }
    early.add(new Early(from, number, ByteBuffer.allocate(bytes.remaining()).put(bytes).flip()));
    return true;
  }

  void suspicionChanged() {
    retiring.forEach(epoch -> epoch.order.suspicionChanged());
    current.order.suspicionChanged();
    settle();
  }

  void flush() {
    retiring.forEach(epoch -> epoch.order.flush());
    current.order.flush();
    settle();
  }

  /// Every member holds all below an index: orderings that only placed below it are needed no more.
  void heldByAll(long index) {
    while (!retiring.isEmpty() && retiring.peekFirst().indexNext <= index) {
      retiring.removeFirst().over = true;
    }
  }

  /// The view is wedged: nothing is decided any more.
  void stop() {
    stopped = true;
  }

  /// Carries out switches.
  private void settle() {
    while (next != null) {
      Ordering to = next;
      next = null;
      current.retireAt(log.heldNext());
      retiring.add(current);
      current = open(current.number + 1, to, log.heldNext());
      for (Batch batch : log.unplaced()) {
        if (next == null) {
          current.order.arrived(view.view().rankOf(batch.sender()), batch.seq(), batch.stamp());
        }
      }
      takeEarly();
    }
  }

  private void takeEarly() {
    List<Early> waiting = List.copyOf(early);
    early.clear();
    earlyBytes = 0;
    for (Early message : waiting) {
      try {
        if (message.epoch == current.number) {
          current.receive(message.from, new WireReader(message.bytes));
        } else {
          keepEarly(message.from, message.epoch, message.bytes);
        }
      } catch (Malformed malformed) {
        counters.malformed(malformed.reason());
      }
    }
  }

  boolean isStopped() {
    return stopped;
  }

  void check() {
    Invariant.check(stopped || next == null, "a switch that is held is carried out");
    Invariant.check(!current.retired, "the ordering in force is not retired");
    int number = current.number - retiring.size();
    long index = view.indexFirst();
    for (Epoch<?> epoch : retiring) {
      Invariant.check(epoch.number == number++ && epoch.retired, "orderings retire one after the other");
      Invariant.check(epoch.indexNext >= index, "an ordering's places come after those of the one before");
      index = epoch.indexNext;
      epoch.order.check();
    }
    for (Early message : early) {
      Invariant.check(message.epoch > current.number, "only what is for a later ordering waits");
    }
    current.order.check();
  }

  /// One ordering, from its switch to the next one.
  private final class Epoch<M> implements Effects.Inward<M> {
    private final int number;
    private final Codec<M> codec;
    private final TotalOrder<M> order;
    private long indexNext; // behind its last place, once it is retired
    private boolean retired;
    private boolean over;

    Epoch(int number, Codec<M> codec, BiFunction<Effects<M>, TotalOrder.Places, TotalOrder<M>> how) {
      this.number = number;
      this.codec = codec;
      this.order = how.apply(port.open(number + " ", new InEpoch<>(number, codec), this), this::place);
    }

    private void place(int rank, long seq) {
      if (!retired && next == null && !contradicted) {
        contradicted = !log.place(rank, seq);
      }
    }

    void retireAt(long index) {
      indexNext = index;
      retired = true;
      order.retire();
    }

    void receive(MemberId from, WireReader in) throws Malformed {
      order.receive(from, codec.readAll(in));
    }

    /// A message to itself.
    @Override
    public void receive(MemberId from, M message) {
      if (stopped || over) {
        return;
      }
      try {
        order.receive(from, message);
      } catch (Malformed malformed) {
        counters.malformed(malformed.reason()); // it followed from what others said
      }
      settle();
    }

    @Override
    public void expire(Effects.Timer timer) {
      if (!stopped && !over) {
        order.expire(timer);
        settle();
      }
    }
  }

  /// Puts the epoch before an ordering's messages. Reading is [#receive]'s, which must know the epoch first.
  private record InEpoch<M>(int number, Codec<M> codec) implements Codec<M> {
    @Override
    public void write(M message, WireWriter out) {
      out.count(number);
      codec.write(message, out);
    }

    @Override
    public ByteBuffer tail(M message) {
      return codec.tail(message);
    }

    @Override
    public M read(WireReader in) throws Malformed {
      in.countUpTo(Integer.MAX_VALUE);
      return codec.read(in);
    }
  }
}
