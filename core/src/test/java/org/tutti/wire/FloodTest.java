package org.tutti.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.engine.Input;
import org.tutti.engine.NodeEngine;
import org.tutti.fixture.RawPackets;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;

/// What a node keeps does not grow with the number of those who speak to it.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FloodTest {
  private static final int STRANGERS = 100_000;
  private static final long KEPT_BYTES_MAX = 8 << 20;
  private static final int MEASUREMENTS = 5;
  private static final long NANOS_EACH = 10_000; // 100 000 frames a second
  private static final MemberId SELF = new MemberId("n", new Address("here:1"), 7);

  private final NodeEngine node =
      new NodeEngine(SELF, Node.named("n").settings(), new Nowhere(), new SplittableRandom(1));

  /// Refuses every frame.
  private static final class Nowhere implements FrameSender {
    @Override
    public @Nullable ByteBuffer claim(Address to, int length) {
      return null;
    }

    @Override
    public void commit() {
      throw new IllegalStateException("nothing was claimed");
    }

    @Override
    public Traits traits() {
      return new Traits(1 << 16, Duration.ofMillis(50), false);
    }
  }

  private static MemberId stranger(long number) {
    return new MemberId("x" + number, new Address("far:" + number), 1000 + number);
  }

  /// The least of some measurements: other tests of this JVM, which may still be ending, use the heap, too.
  private static long used() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < MEASUREMENTS; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private long keptAfter(LongFunction<byte[]> frames) {
    long before = used();
    for (long number = 0; number < STRANGERS; number++) {
      node.step(number * NANOS_EACH, new Input.Arrived(ByteBuffer.wrap(frames.apply(number))));
      node.flush(number * NANOS_EACH);
    }
    long kept = used() - before;
    assertThat(node.self()).isEqualTo(SELF); // it is not collected before
    return kept;
  }

  @Test
  void callsOfStrangersAreForgotten() {
    byte[] call = new byte[20];
    assertThat(keptAfter(number -> RawPackets.datagram(stranger(number), 0, call))).isLessThan(KEPT_BYTES_MAX);
  }

  @Test
  void streamsOfStrangersAreForgotten() {
    var first = new RawPackets.Place(1, 0);
    assertThat(keptAfter(number -> RawPackets.data(stranger(number), SELF.incarnation(), true, first, new byte[100])))
        .isLessThan(KEPT_BYTES_MAX);
  }

  @Test
  void packetsAheadOfAMissingOneAreForgotten() {
    byte[] large = new byte[1000];
    assertThat(
            keptAfter(number -> {
              var place = new RawPackets.Place(1 + number, number % 2);
              MemberId one = stranger(0);
              WireWriter out = RawPackets.packet(RawPackets.DATA, "tutti", one, SELF.incarnation(), true);
              out.count(place.stream());
              out.count(place.seq());
              out.count(place.seq());
              RawPackets.acknowledge(out, 0, 0);
              out.count((long) large.length << 2 | 1);
              out.raw(ByteBuffer.wrap(large));
              return RawPackets.sealed(RawPackets.bytes(out));
            }))
        .isLessThan(KEPT_BYTES_MAX);
  }
}
