package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.history.OrderingEpochs;
import org.tutti.link.Links;
import org.tutti.membership.Hello;
import org.tutti.membership.ViewMessage;
import org.tutti.transport.Address;
import org.tutti.wire.Channel;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;
import org.tutti.wire.WireWriter;

/// Gives each protocol of one group its port to the world: messages become frames of the group's links.
///
/// A frame is `u8 channel, i64 group, [view id,] message`.
final class Ports implements OrderingEpochs.PortFactory {
  private final Node node;
  private final Group group;
  private final Supplier<View> view;
  private final @Nullable List<Runnable> unsaid; // to this member itself about views, until the storage has it
  private final Map<Address, Hello> untold = new TreeMap<>(); // calls of this round that the transport did not take
  private long broadcasts;

  /// What a node offers its groups.
  ///
  /// @param self   this node
  /// @param links  to other nodes
  /// @param timers of the node
  /// @param random seeded
  /// @param clock  the time of the step
  /// @param later  runs something in a later part of the step
  record Node(
      MemberId self,
      Links links,
      Timers timers,
      RandomGenerator random,
      Supplier<Long> clock,
      Consumer<Runnable> later) {}

  /// A group at its node.
  ///
  /// @param name  its name
  /// @param key   its name on the wire
  /// @param owner of its timers
  record Group(String name, long key, int owner) {}

  /// Makes the ports of a group.
  ///
  /// @param node    the node's
  /// @param group   whose ports
  /// @param view    the view installed
  /// @param durable whether what is said about views has to wait for stable storage
  Ports(Node node, Group group, Supplier<View> view, boolean durable) {
    this.unsaid = durable ? new ArrayList<>() : null;
    this.node = node;
    this.group = group;
    this.view = view;
  }

  View view() {
    return view.get();
  }

  /// How often this member has spoken to all.
  long broadcasts() {
    return broadcasts;
  }

  WireWriter frame(Channel channel) {
    WireWriter out = frame(channel, group.key);
    if (channel.isInView()) {
      out.viewId(view.get().id());
    }
    return out;
  }

  <M> Effects<M> open(Channel channel, Codec<M> codec, Effects.Inward<M> inward) {
    return new Port<>(channel, "", codec, inward);
  }

  @Override
  public <M> Effects<M> open(String scope, Codec<M> codec, Effects.Inward<M> inward) {
    return new Port<>(Channel.ORDER, scope, codec, inward);
  }

  /// Another round of calls begins: what is left of the last one is out of date.
  void beginCalls() {
    untold.clear();
  }

  /// Calls an address. If there is no connection to it yet, the call is sent as soon as there is one ([#ready]).
  void hello(Address to, Hello hello) {
    if (!node.links.datagram(to, call(group.key, hello))) {
      untold.put(to, hello);
    }
  }

  /// A call as it is sent.
  ///
  /// @param key   of which group
  /// @param hello what it says
  /// @return a datagram
  static Encoded call(long key, Hello hello) {
    WireWriter out = frame(Channel.HELLO, key);
    hello.write(out);
    return new Encoded(out.copy(), Codec.NOTHING);
  }

  private static WireWriter frame(Channel channel, long key) {
    var out = new WireWriter();
    out.u8(channel.number());
    out.fixed(key);
    return out;
  }

  /// The transport has a way to an address, or room again.
  void ready(Address address) {
    Hello hello = untold.remove(address);
    if (hello != null) {
      hello(address, hello);
    }
  }

  /// Stable storage has what this member has promised: now it may hear of it itself, as the others do in the end of
  /// this run of inputs.
  ///
  /// @return whether it had said anything to itself
  boolean sayToSelf() {
    if (unsaid == null || unsaid.isEmpty()) {
      return false;
    }
    List<Runnable> said = List.copyOf(unsaid);
    unsaid.clear();
    said.forEach(Runnable::run);
    return true;
  }

  void close() {
    node.timers.cancelAll(group.owner);
  }

  private final class Port<M> implements Effects<M> {
    private final Channel channel;
    private final String scope;
    private final Codec<M> codec;
    private final Effects.Inward<M> inward;
    private @Nullable M said; // the last one that was said to one and is said to others, and its bytes
    private @Nullable Encoded encoded;

    Port(Channel channel, String scope, Codec<M> codec, Effects.Inward<M> inward) {
      this.channel = channel;
      this.scope = scope;
      this.codec = codec;
      this.inward = inward;
    }

    @Override
    public void send(MemberId to, M message) {
      if (to.equals(node.self) && unsaid != null && channel == Channel.VIEW) {
        unsaid.add(() -> inward.receive(to, message));
      } else if (to.equals(node.self)) {
        node.later.accept(() -> inward.receive(to, message));
      } else {
        node.links.send(to, encoded(message));
      }
    }

    private Encoded encoded(M message) {
      Encoded known = encoded;
      if (known != null && message == said) {
        return new Encoded(known.head(), known.tail(), known.sender(), false); // links take one object for one message
      }
      Encoded made = Encoded.of(frame(channel), codec, message, false);
      boolean kept = message instanceof ViewMessage.Meet;
      said = kept ? message : null;
      encoded = kept ? made : null;
      return made;
    }

    @Override
    public void send(Collection<MemberId> to, M message) {
      if (to.contains(node.self)) {
        send(node.self, message);
      }
      sendToOthers(to, message);
    }

    @Override
    public void broadcast(M message) {
      View current = view.get();
      if (current.size() == 1) {
        return;
      }
      broadcasts++;
      sendToOthers(current.members(), message);
    }

    private void sendToOthers(Collection<MemberId> to, M message) {
      boolean common = to.size() > 2; // mostly one of them is this member
      Encoded encoded = null;
      for (MemberId each : to) {
        if (!each.equals(node.self)) {
          encoded = encoded == null ? Encoded.of(frame(channel), codec, message, common) : encoded;
          node.links.send(each, encoded);
        }
      }
    }

    @Override
    public void schedule(Effects.Timer timer, Duration after) {
      node.timers.schedule(group.owner, scoped(timer), node.clock.get() + after.toNanos(), () -> inward.expire(timer));
    }

    @Override
    public void cancel(Effects.Timer timer) {
      node.timers.cancel(group.owner, scoped(timer));
    }

    private Effects.Timer scoped(Effects.Timer timer) {
      return scope.isEmpty() ? timer : new Effects.Timer(scope + timer.name());
    }

    @Override
    public long nowNanos() {
      return node.clock.get();
    }

    @Override
    public RandomGenerator random() {
      return node.random;
    }
  }

  /// A node's pending expiries. Equal times expire in the order in which they were asked for.
  static final class Timers {
    private record Key(int owner, Effects.Timer timer) implements Comparable<Key> {
      @Override
      public int compareTo(Key other) {
        int byOwner = Integer.compare(owner, other.owner);
        return byOwner != 0 ? byOwner : timer.name().compareTo(other.timer.name());
      }
    }

    private record Due(long at, long sequence) implements Comparable<Due> {
      @Override
      public int compareTo(Due other) {
        int byTime = Long.compare(at, other.at);
        return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
      }
    }

    private record Pending(Key key, Runnable action) {}

    private final TreeMap<Due, Pending> pending = new TreeMap<>();
    private final Map<Key, Due> dues = new TreeMap<>();
    private long sequence;

    void schedule(int owner, Effects.Timer timer, long at, Runnable action) {
      cancel(owner, timer);
      var key = new Key(owner, timer);
      var due = new Due(at, sequence++);
      pending.put(due, new Pending(key, action));
      dues.put(key, due);
    }

    void cancel(int owner, Effects.Timer timer) {
      Due due = dues.remove(new Key(owner, timer));
      if (due != null) {
        pending.remove(due);
      }
    }

    void cancelAll(int owner) {
      pending.values().removeIf(entry -> entry.key.owner == owner);
      dues.keySet().removeIf(key -> key.owner == owner);
    }

    /// Runs what is due, including what becomes due meanwhile.
    void expire(long now) {
      while (!pending.isEmpty() && pending.firstKey().at <= now) {
        Pending next = pending.pollFirstEntry().getValue();
        dues.remove(next.key);
        next.action.run();
      }
    }

    long deadline() {
      return pending.isEmpty() ? Long.MAX_VALUE : pending.firstKey().at;
    }

    void check() {
      Invariant.check(pending.size() == dues.size(), "a timer runs out once");
    }
  }
}
