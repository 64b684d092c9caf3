package org.tutti.engine;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.effect.Counters;
import org.tutti.fixture.Golden;
import org.tutti.fixture.RawPackets;
import org.tutti.link.Links;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.wire.Channel;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// The bytes of the whiteboard, and those that each message of a group begins with.
class BoardGoldenTest {
  private static final MemberId SELF = new MemberId("a", new Address("here:1"), 1);
  private static final View VIEW = new View(new ViewId(300, 7), List.of(SELF), true, List.of());

  /// What a message begins with.
  ///
  /// @param channel whose it is
  /// @param group   the hash of the group's name
  /// @param view    the view that it names, or null
  private record Head(Channel channel, long group, ViewId view) {}

  private static final class NoTransport implements FrameSender {
    @Override
    public ByteBuffer claim(Address to, int length) {
      throw new AssertionError("nothing is sent");
    }

    @Override
    public void commit() {}

    @Override
    public Traits traits() {
      return new Traits(1 << 10, Duration.ofMillis(40), false);
    }
  }

  private static final class Nobody implements Links.Receiver {
    @Override
    public void message(MemberId from, ByteBuffer message) {}

    @Override
    public void datagram(MemberId from, ByteBuffer message) {}

    @Override
    public void heard(MemberId peer, long beat, boolean first) {}

    @Override
    public long beat() {
      return 1;
    }

    @Override
    public Set<MemberId> needed() {
      return Set.of();
    }
  }

  private static Ports ports() {
    var links = new Links(SELF, Links.hash("tutti"), new NoTransport(), new Counters(), new Nobody());
    var node = new Ports.Node(SELF, links, new Ports.Timers(), new SplittableRandom(1), () -> 0L, Runnable::run);
    return new Ports(node, new Ports.Group("bank", Links.hash("bank"), 1), () -> VIEW, false);
  }

  private static byte[] head(Channel channel) {
    WireWriter out = ports().frame(channel);
    return RawPackets.bytes(out);
  }

  private static Head head(byte[] bytes) throws Exception {
    var in = new WireReader(ByteBuffer.wrap(bytes));
    Channel channel = Channel.of(in.u8());
    var head = new Head(channel, in.fixed(), channel.isInView() ? in.viewId() : null);
    in.end();
    return head;
  }

  @Test
  void heads() {
    Golden golden =
        new Golden("core", "head", "what each message of a group begins with, of the group `bank`: `Ports`");
    for (Channel channel : Channel.values()) {
      golden.written(channel.name(), head(channel), BoardGoldenTest::head);
    }
    golden.check();
  }

  @Test
  void whiteboard() {
    var values = new TreeMap<String, Long>();
    values.put("", Long.MIN_VALUE);
    values.put("load", 7L);
    var format = Golden.Format.of(BoardExchange.CODEC);
    new Golden("core", "whiteboard", "channel 9, `BoardExchange.Values`")
        .example("nothing", new BoardExchange.Values(1, new TreeMap<>()), format)
        .example("two values", new BoardExchange.Values(300, values), format)
        .check();
  }
}
