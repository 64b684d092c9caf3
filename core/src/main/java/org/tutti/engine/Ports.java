package org.tutti.engine;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.effect.Timer;
import org.tutti.link.Links;
import org.tutti.transport.Address;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;
import org.tutti.wire.WireWriter;

/// Gives each protocol of one group its door to the world: messages become frames of the group's links.
///
/// A frame is `u8 channel, i64 group, [view id,] message`.
final class Ports implements Orders.Door {
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
  private final long group;
  private final int owner;
  private final Supplier<View> view;
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

  Ports(Node node, long group, int owner, Supplier<View> view) {
    this.node = node;
    this.group = group;
    this.owner = owner;
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
    out.fixed(group);
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

  void hello(Address to) {
    var out = frame(Channel.HELLO);
    out.viewId(view.get().id());
    node.links.datagram(to, new Encoded(out.copy(), Codec.NOTHING));
  }

  void close() {
    node.timers.cancelAll(owner);
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
      if (to.equals(node.self)) {
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
      node.timers.schedule(owner, scoped(timer), node.clock.get() + after.toNanos(), () -> inward.expire(timer));
    }

    @Override
    public void cancel(Timer timer) {
      node.timers.cancel(owner, scoped(timer));
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
