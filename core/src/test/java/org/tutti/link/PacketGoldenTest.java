package org.tutti.link;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.effect.Counters;
import org.tutti.fixture.Golden;
import org.tutti.fixture.RawPackets;
import org.tutti.transport.Address;
import org.tutti.transport.FrameSender;
import org.tutti.transport.Traits;
import org.tutti.wire.Codec;
import org.tutti.wire.Encoded;
import org.tutti.wire.Versions;
import org.tutti.wire.WireReader;

/// The bytes of packets, as two nodes' links write them.
class PacketGoldenTest {
  private static final MemberId A = new MemberId("a", new Address("here:1"), 1);
  private static final MemberId B = new MemberId("b\u00e9", new Address("[::1]:65535"), Long.MAX_VALUE);
  private static final long LATER = Duration.ofMillis(10).toNanos();

  /// A node's links; what they write is kept, and goes nowhere by itself.
  private static final class End implements FrameSender, Links.Receiver {
    private final List<byte[]> frames = new ArrayList<>();
    private final List<String> messages = new ArrayList<>();
    private final boolean checksum;
    private final Links links;
    private ByteBuffer claimed = ByteBuffer.allocate(0);

    End(MemberId self, String cluster, boolean checksum) {
      this.checksum = checksum;
      this.links = new Links(self, Links.hash(cluster), this, new Counters(), this);
    }

    byte[] last() {
      return frames.getLast();
    }

    End takes(byte[] frame) {
      links.arrived(0, ByteBuffer.wrap(frame.clone()));
      return this;
    }

    @Override
    public ByteBuffer claim(Address to, int length) {
      claimed = ByteBuffer.allocate(length);
      return claimed;
    }

    @Override
    public void commit() {
      frames.add(claimed.array());
    }

    @Override
    public Traits traits() {
      return new Traits(512, Duration.ofMillis(40), checksum);
    }

    @Override
    public void message(MemberId from, ByteBuffer message) {
      messages.add(text(message));
    }

    @Override
    public void datagram(MemberId from, ByteBuffer message) {
      messages.add(text(message));
    }

    @Override
    public void heard(MemberId peer, long beat, boolean first) {}

    @Override
    public long beat() {
      return 300;
    }

    @Override
    public String cluster() {
      return "tutti";
    }

    @Override
    public Set<MemberId> needed() {
      return Set.of();
    }
  }

  private record Acknowledged(long stream, long next, long window, List<Long> bits) {}

  private record Piece(boolean first, boolean last, String bytes) {}

  /// What stands behind the header, by the page of [Packet].
  private sealed interface Body {
    record Data(long stream, long number, long distance, Acknowledged acknowledged, List<Piece> pieces)
        implements Body {}

    record Ack(Acknowledged acknowledged) implements Body {}

    record Reset(long stream, long next) implements Body {}

    record Datagram(String message) implements Body {}

    record Refusal(String cluster) implements Body {}
  }

  /// What a [Packet] may be.
  private static final Object[] KINDS = {"kind=1", "kind=2", "kind=3", "kind=4", "kind=5"};

  private record Whole(
      int version,
      int kind,
      String cluster,
      long source,
      long destination,
      long beat,
      MemberId identity,
      Versions versions,
      Body body) {}

  private static String text(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return new String(copy, US_ASCII);
  }

  private static Encoded message(String text) {
    return new Encoded(ByteBuffer.wrap(text.getBytes(US_ASCII)), Codec.NOTHING);
  }

  private static Whole read(byte[] bytes) throws Exception {
    boolean sum = (bytes[2] & 2) != 0;
    Packet packet = Packet.read(ByteBuffer.wrap(bytes), sum, Versions.OWN);
    var in = new WireReader(packet.body().duplicate());
    Body body =
        switch (packet.kind()) {
          case Packet.DATA -> data(in);
          case Packet.ACK -> new Body.Ack(acknowledged(in, Packet.ACK_WORDS_MAX));
          case Packet.RESET -> new Body.Reset(in.count(), in.count());
          case Packet.DATAGRAM -> new Body.Datagram(text(in.rest()));
          default -> new Body.Refusal(in.text(256));
        };
    in.end();
    assertThat(packet.cluster()).isEqualTo(Links.hash("tutti"));
    return new Whole(
        packet.version(),
        packet.kind(),
        "tutti",
        packet.source(),
        packet.destination(),
        packet.beat(),
        packet.identity(),
        packet.versions(),
        body);
  }

  private static Acknowledged acknowledged(WireReader in, int words) throws Exception {
    long stream = in.count();
    long next = in.count();
    long window = in.count();
    List<Long> bits = new ArrayList<>();
    while (bits.size() < words && in.remaining() > 0) {
      bits.add(in.fixed());
    }
    return new Acknowledged(stream, next, window, bits);
  }

  private static Body data(WireReader in) throws Exception {
    long stream = in.count();
    long number = in.count();
    long distance = in.count();
    Acknowledged acknowledged = acknowledged(in, 1);
    List<Piece> pieces = new ArrayList<>();
    while (in.remaining() > 0) {
      long header = in.count();
      String bytes = text(in.raw(Chunk.size(header)));
      pieces.add(new Piece(Chunk.isFirst(header), Chunk.isLast(header), bytes));
    }
    return new Body.Data(stream, number, distance, acknowledged, pieces);
  }

  @Test
  void packets() {
    var a = new End(A, "tutti", false);
    var b = new End(B, "tutti", false);
    a.links.datagram(B.address(), message("hello"));
    byte[] hello = a.last();
    a.links.send(B, message("one"));
    a.links.send(B, message("two"));
    a.links.flush(0);
    byte[] introducing = a.last();
    b.takes(introducing).links.send(A, message("answer"));
    b.links.flush(0);
    byte[] answer = b.last();
    a.takes(answer).links.send(B, message("x".repeat(600)));
    a.links.flush(0);
    byte[] begin = a.frames.get(a.frames.size() - 2);
    byte[] end = a.last();
    b.takes(end).links.flush(LATER);
    byte[] gap = b.last();
    a.links.datagram(0, B, message(""));
    byte[] alive = a.last();
    byte[] reset = new End(B, "tutti", false).takes(RawPackets.data(A, B.incarnation(), true, place(7, 9))).last();
    new Golden("core", "packet", "`Packet`, whatever carries it, between the nodes of the cluster `tutti`")
        .written("DATAGRAM, a call to an address", hello, PacketGoldenTest::read)
        .written("DATAGRAM, a sign of life", alive, PacketGoldenTest::read)
        .written("DATA, introduces its source", introducing, PacketGoldenTest::read)
        .written("DATA, acknowledges", answer, PacketGoldenTest::read)
        .written("DATA, the beginning of a long message", begin, PacketGoldenTest::read)
        .written("DATA, its end", end, PacketGoldenTest::read)
        .written("ACK, of what came beyond a gap", gap, PacketGoldenTest::read)
        .written("RESET", reset, PacketGoldenTest::read)
        .written("REFUSAL, by a node of another cluster", refusal(hello), PacketGoldenTest::read)
        .written("REFUSAL, of another version", otherVersion(hello), PacketGoldenTest::read)
        .written("DATAGRAM, with a checksum", summed(), PacketGoldenTest::read)
        .covers(KINDS)
        .check();
  }

  private static byte[] refusal(byte[] hello) {
    return new End(B, "opera", false).takes(hello).last();
  }

  /// What answers a call in a version that is not understood.
  private static byte[] otherVersion(byte[] hello) {
    byte[] other = hello.clone();
    int range = hello.length - "hello".length() - 2;
    other[0]++;
    other[range]++;
    other[range + 1]++;
    return new End(B, "tutti", false).takes(other).last();
  }

  private static byte[] summed() {
    var a = new End(A, "tutti", true);
    a.links.datagram(0, B, message("hello"));
    return a.last();
  }

  private static RawPackets.Place place(long stream, long number) {
    return new RawPackets.Place(stream, number);
  }
}
