package org.tutti.micro;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.tutti.MemberId;
import org.tutti.effect.Counters;
import org.tutti.link.Links;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;

/// A message from link to link, in one thread: it becomes packets, which are copied into a buffer outside of the heap,
/// as those of sockets are, and read again; and every few packets an acknowledgement comes back.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LinkBenchmark {
  private static final int FRAME_BYTES_MAX = 1 << 16;
  private static final int BUFFER_BYTES = 1 << 20;
  private static final long CLUSTER = 7;

  /// The length of a message.
  @Param({"100", "65536"})
  public int bytes;

  private final Pipe out = new Pipe();
  private final Pipe back = new Pipe();
  private final Taker taker = new Taker(Sample.member(0));
  private final Links sender = new Links(Sample.member(0), CLUSTER, out, new Counters(), new Taker(Sample.member(1)));
  private final Links receiver = new Links(Sample.member(1), CLUSTER, back, new Counters(), taker);
  private Encoded message = new Encoded(Codec.NOTHING, Codec.NOTHING);
  private long now;

  /// Made by JMH.
  public LinkBenchmark() {}

  /// Makes the message, and sends it once: so both links know each other.
  @Setup
  public void make() {
    message = new Encoded(Codec.NOTHING, ByteBuffer.allocate(bytes));
    long before = taker.taken;
    send();
    if (taker.taken != before + bytes) {
      throw new IllegalStateException(taker.taken + " bytes arrived of " + bytes);
    }
  }

  /// Sends a message.
  ///
  /// @return how many bytes have arrived
  @Benchmark
  public long send() {
    now++;
    sender.send(Sample.member(1), message);
    sender.flush(now);
    out.drain(frame -> receiver.arrived(now, frame));
    receiver.flush(now);
    back.drain(frame -> sender.arrived(now, frame));
    return taker.taken;
  }

  /// Frames one behind the other.
  private static final class Pipe implements FrameSender {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer lent = buffer.duplicate();
    private final Traits traits = new Traits(FRAME_BYTES_MAX, Duration.ofSeconds(1), false);
    private int claimed;

    interface Taking {
      void frame(ByteBuffer frame);
    }

    @Override
    public ByteBuffer claim(Address to, int length) {
      claimed = length;
      int at = buffer.position() + Integer.BYTES;
      return lent.limit(at + length).position(at);
    }

    @Override
    public void commit() {
      buffer.putInt(claimed).position(buffer.position() + claimed);
    }

    @Override
    public Traits traits() {
      return traits;
    }

    void drain(Taking taking) {
      int end = buffer.position();
      for (int at = 0; at < end; ) {
        int from = at + Integer.BYTES;
        at = from + buffer.getInt(at);
        taking.frame(lent.limit(at).position(from));
      }
      buffer.clear();
    }
  }

  /// Counts what arrives.
  private static final class Taker implements Links.Receiver {
    private final Set<MemberId> needed;
    private long taken;

    Taker(MemberId peer) {
      needed = Set.of(peer);
    }

    @Override
    public void message(MemberId from, ByteBuffer arrived) {
      taken += arrived.remaining();
    }

    @Override
    public void datagram(MemberId from, ByteBuffer arrived) {
      throw new IllegalStateException("nobody sends datagrams");
    }

    @Override
    public void heard(MemberId peer, long beat, boolean first) {}

    @Override
    public long beat() {
      return 1;
    }

    @Override
    public Set<MemberId> needed() {
      return needed;
    }
  }
}
