package org.tutti.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.effect.Timer;
import org.tutti.link.Links;
import org.tutti.membership.Hello;
import org.tutti.transport.Address;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;
import org.tutti.wire.WireWriter;

/// Gives each protocol of one group its port to the world: messages become frames of the group's links.
///
/// A frame is `u8 channel, i64 group, [view id,] message`.
final class Ports implements OrderingEpochs.PortFactory {
  /// Where messages to oneself and timers come back.
  ///
  /// @param <M> the protocol's messages
  interface Inward<M> {
    void receive(MemberId from, M message);

    default void expire(Timer timer) {
      throw new IllegalArgumentException("no timer " + timer);
    }
  }

  private final Node node;
  private final Group group;
  private final Supplier<View> view;
  private final @Nullable List<Runnable> unsaid; // to this member itself about views, until the storage has it
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
    var out = new WireWriter();
    out.u8(channel.number());
    out.fixed(group.key);
    if (channel.isInView()) {
      out.viewId(view.get().id());
    }
    return out;
  }

  <M> Effects<M> open(Channel channel, Codec<M> codec, Inward<M> inward) {
    return new Port<>(channel, "", codec, inward);
  }

  @Override
  public <M> Effects<M> open(String scope, Codec<M> codec, Inward<M> inward) {
    return new Port<>(Channel.ORDER, scope, codec, inward);
  }

  void hello(Address to, Hello hello) {
    var out = frame(Channel.HELLO);
    hello.write(out);
    node.links.datagram(to, new Encoded(out.copy(), Codec.NOTHING));
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
    private final Inward<M> inward;

    Port(Channel channel, String scope, Codec<M> codec, Inward<M> inward) {
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
        node.links.send(to, Encoded.of(frame(channel), codec, message));
      }
    }

    @Override
    public void broadcast(M message) {
      View current = view.get();
      if (current.size() == 1) {
        return;
      }
      broadcasts++;
      Encoded encoded = Encoded.of(frame(channel), codec, message);
      for (MemberId member : current.members()) {
        if (!member.equals(node.self)) {
          node.links.send(member, encoded);
        }
      }
    }

    @Override
    public void schedule(Timer timer, Duration after) {
      node.timers.schedule(group.owner, scoped(timer), node.clock.get() + after.toNanos(), () -> inward.expire(timer));
    }

    @Override
    public void cancel(Timer timer) {
      node.timers.cancel(group.owner, scoped(timer));
    }

    private Timer scoped(Timer timer) {
      return scope.isEmpty() ? timer : new Timer(scope + timer.name());
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
}
