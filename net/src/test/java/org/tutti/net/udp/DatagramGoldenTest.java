package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.tutti.fixture.Golden;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Address;
import org.tutti.transport.Counts;
import org.tutti.transport.Refused;

/// The bytes of datagrams. What stands behind a header is put together here as the pages of the classes say, and read
/// by the production code.
class DatagramGoldenTest {
  private static final long A = 7;
  private static final long B = 0x0102_0304_0506_0708L;
  private static final int ROOM = 1000;
  private static final long FAR = 0x0102_0304_0506L; // a number of a datagram after many others
  private static final int LAST_KIND = DatagramHeader.REPAIR;
  private static final Map<Integer, String> KINDS =
      Map.ofEntries(
          Map.entry(DatagramHeader.HELLO, "HELLO"),
          Map.entry(DatagramHeader.WELCOME, "WELCOME"),
          Map.entry(DatagramHeader.DATA, "DATA"),
          Map.entry(DatagramHeader.ECHO, "ECHO"),
          Map.entry(DatagramHeader.PROBE, "PROBE"),
          Map.entry(DatagramHeader.BYE, "BYE"),
          Map.entry(DatagramHeader.MULTICAST, "MULTICAST"),
          Map.entry(DatagramHeader.ASK, "ASK"),
          Map.entry(DatagramHeader.HEARD, "HEARD"),
          Map.entry(DatagramHeader.NAK, "NAK"),
          Map.entry(DatagramHeader.REPAIR, "REPAIR"));

  private record Read(
      String kind,
      boolean soon,
      long to,
      long from,
      long number,
      long highest,
      int count,
      int heldMicros,
      int grant,
      List<String> rest) {}

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static byte[] taken(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.get(bytes);
    return bytes;
  }

  private static String frame(ByteBuffer in) {
    byte[] frame = new byte[in.getShort() & 0xffff];
    in.get(frame);
    return new String(frame, StandardCharsets.US_ASCII);
  }

  /// A header, with nothing behind it.
  private static ByteBuffer header(int kind, long to) {
    ByteBuffer out = ByteBuffer.allocate(ROOM);
    DatagramHeader.write(out, kind, to, A);
    return out.position(DatagramHeader.BYTES);
  }

  private static byte[] echoing(int kind, byte[] rest) {
    ByteBuffer out = header(kind | DatagramHeader.SOON, B);
    DatagramHeader.number(out, 300);
    DatagramHeader.echo(out, 299, 70_000, 1_000, 1 << 20);
    return taken(out.put(rest).flip());
  }

  private static byte[] plain(int kind, long to) {
    return taken(header(kind, to).flip());
  }

  private static ByteBuffer multicast() {
    ByteBuffer out = header(DatagramHeader.MULTICAST, 0);
    DatagramHeader.number(out, 300);
    out.put((byte) 2);
    share(out, 9, "a");
    share(out, B, "bb");
    return out.put(bytes("-end")).flip();
  }

  private static void share(ByteBuffer out, long life, String head) {
    out.putLong(life).putLong(11).putLong(5).putInt(6).putInt(7).putInt(8).putLong(9);
    out.putShort((short) head.length()).put(bytes(head));
  }

  private static byte[] nak() {
    ByteBuffer out = header(DatagramHeader.NAK, 0);
    DatagramHeader.of(out, B, 300);
    return taken(out.putLong(5).flip());
  }

  private static byte[] repair() {
    ByteBuffer again = multicast();
    DatagramHeader.repair(again, 9, A);
    return taken(again);
  }

  private static byte[] piece(int number) {
    ByteBuffer bytes = ByteBuffer.allocate(DatagramHeader.BYTES + 20);
    var outgoing = new OutgoingDatagram(null, bytes, 0);
    bytes.putShort((short) 18).put(bytes("abcdefghijklmnopqr"));
    outgoing.cut(UnicastPiece.HEADER_BYTES + 10);
    if (number == 2) {
      outgoing.left();
    }
    ByteBuffer out = outgoing.writePiece(ByteBuffer.allocate(ROOM));
    UnicastPiece.address(out, FAR + number, number == 2, B, A);
    return taken(out.flip());
  }

  private static Read read(byte[] bytes) {
    ByteBuffer in = ByteBuffer.allocate(ROOM).put(bytes).flip();
    var header = new DatagramHeader();
    assertThat(header.read(in)).isEqualTo(DatagramHeader.Fault.NONE);
    List<String> rest = new ArrayList<>();
    switch (header.kind) {
      case DatagramHeader.DATA -> {
        while (in.hasRemaining()) {
          rest.add(frame(in));
        }
      }
      case DatagramHeader.MULTICAST, DatagramHeader.REPAIR -> {
        assertThat(MulticastDatagram.pick(in, header, B)).isTrue();
        rest.add("before " + header.before);
        rest.add(frame(in));
      }
      default -> {
        while (in.hasRemaining()) {
          rest.add(Long.toString(in.getLong()));
        }
      }
    }
    String kind = KINDS.get(header.kind);
    return new Read(
        kind,
        header.soon,
        header.to,
        header.from,
        header.number,
        header.highest,
        header.count,
        header.heldMicros,
        header.grant,
        rest);
  }

  @Test
  void datagrams() {
    byte[] frames =
        taken(
            ByteBuffer.allocate(10).putShort((short) 3).put(bytes("one")).putShort((short) 3).put(bytes("two")).flip());
    byte[] lasts = taken(ByteBuffer.allocate(16).putLong(299).putLong(5).flip());
    Golden golden = new Golden("net", "udp-datagram", "the datagrams of UDP: `DatagramHeader`");
    golden
        .written("HELLO", plain(DatagramHeader.HELLO, 0), DatagramGoldenTest::read)
        .written("WELCOME", plain(DatagramHeader.WELCOME, B), DatagramGoldenTest::read)
        .written("DATA, two frames", echoing(DatagramHeader.DATA, frames), DatagramGoldenTest::read)
        .written("ECHO", echoing(DatagramHeader.ECHO, new byte[0]), DatagramGoldenTest::read)
        .written("PROBE", echoing(DatagramHeader.PROBE, lasts), DatagramGoldenTest::read)
        .written("PROBE, of the path", plain(DatagramHeader.PROBE, B), DatagramGoldenTest::read)
        .written("BYE", plain(DatagramHeader.BYE, B), DatagramGoldenTest::read)
        .written("MULTICAST, two shares", taken(multicast()), DatagramGoldenTest::read)
        .written("ASK", plain(DatagramHeader.ASK, 0), DatagramGoldenTest::read)
        .written("HEARD", plain(DatagramHeader.HEARD, B), DatagramGoldenTest::read)
        .written("NAK", nak(), DatagramGoldenTest::read)
        .written("REPAIR", repair(), DatagramGoldenTest::read);
    assertThat(KINDS).hasSize(LAST_KIND);
    golden.covers(new TreeMap<>(KINDS).values().toArray()).check();
  }

  /// What a piece of a multicast says.
  private record ReadMulticastPiece(int index, int count, boolean again, int life, long number, String part) {}

  private static ReadMulticastPiece readMulticastPiece(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    var piece = new MulticastPiece();
    assertThat(piece.read(in)).isTrue();
    byte[] part = new byte[in.remaining()];
    in.get(part);
    String text = new String(part, StandardCharsets.US_ASCII);
    return new ReadMulticastPiece(piece.index, piece.count, piece.again, piece.life, piece.number, text);
  }

  @Test
  void piecesOfMulticasts() {
    ByteBuffer out = ByteBuffer.allocate(ROOM);
    MulticastPiece.write(out, 1, 24, A, 300, ByteBuffer.wrap(bytes("a part")));
    new Golden("net", "udp-multicast-piece", "pieces of long multicasts: `MulticastPiece`")
        .written("the second one", taken(out), DatagramGoldenTest::readMulticastPiece)
        .written("again", MulticastPiece.again(out, 0), DatagramGoldenTest::readMulticastPiece)
        .check();
  }

  /// What a piece for one peer says.
  private record ReadPiece(int index, int count, int unit, boolean soon, long number, int to, int from, String part) {}

  private static ReadPiece readPiece(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    var piece = new UnicastPiece();
    assertThat(UnicastPiece.is(in) && piece.read(in)).isTrue();
    String text = StandardCharsets.ISO_8859_1.decode(in).toString().replaceAll("\\p{Cntrl}", ".");
    return new ReadPiece(piece.index, piece.count, piece.unit, piece.soon, piece.number, piece.to, piece.from, text);
  }

  @Test
  void piecesForOnePeer() {
    new Golden("net", "udp-unicast-piece", "pieces for one peer: `UnicastPiece`")
        .written("the first of two", piece(1), DatagramGoldenTest::readPiece)
        .written("the last of two, which asks", piece(2), DatagramGoldenTest::readPiece)
        .check();
  }

  @Test
  void twoPiecesAreOneDatagram() {
    List<String> whole = new ArrayList<>();
    Reassembly pieces = reassembly(frames -> whole.add(frame(frames)));
    var piece = new UnicastPiece();
    for (int number = 1; number <= 2; number++) {
      ByteBuffer in = ByteBuffer.wrap(piece(number));
      assertThat(piece.read(in)).isTrue();
      assertThat(pieces.add(piece, in)).isEqualTo(number == 2);
    }
    assertThat(whole).containsExactly("abcdefghijklmnopqr");
  }

  private static Reassembly reassembly(Consumer<ByteBuffer> frames) {
    return new Reassembly(new Counts<>(UdpCount.class), new BufferPool(1 << 14), frames);
  }

  private static Seal seal(long life) {
    byte[] secret = new byte[UdpKey.BYTES];
    secret[0] = 1;
    return new Seal(UdpKeys.of(UdpKey.of(secret)), life, ROOM, 10, new Counts<>(UdpCount.class));
  }

  @Test
  void sealed() {
    var format =
        new Golden.Format<byte[]>() {
          @Override
          public byte[] write(byte[] datagram) {
            return taken(seal(A).close(ByteBuffer.wrap(datagram)));
          }

          @Override
          public byte[] read(byte[] bytes) {
            ByteBuffer into = ByteBuffer.allocate(ROOM);
            assertThat(seal(B).open(ByteBuffer.wrap(bytes), into)).isNull();
            return taken(into);
          }
        };
    new Golden("net", "udp-seal", "a sealed datagram of life 7, with the key 01 00 ... 00: `Seal`")
        .example("the first", bytes("a whole datagram"), format)
        .check();
  }

  @Test
  void refusals() {
    Golden golden = new Golden("net", "udp-refusal", "why a datagram is not read: `UdpRefusals`");
    byte[] hello = plain(DatagramHeader.HELLO, 0);
    byte[] sealed = taken(seal(A).close(ByteBuffer.wrap(bytes("a datagram of some length"))));
    golden.written("a key is needed", refusal(hello, UdpCount.DROP_UNSEALED), DatagramGoldenTest::refused);
    golden.written("another key", refusal(sealed, UdpCount.DROP_UNKNOWN_KEY), DatagramGoldenTest::refused);
    golden.written("no key here", refusal(sealed, UdpCount.DROP_FOREIGN_PROTOCOL), DatagramGoldenTest::refused);
    golden.written("another version", refusal(hello, UdpCount.DROP_OTHER_VERSION), DatagramGoldenTest::refused);
    sealed[2]++;
    UdpCount why = seal(B).open(ByteBuffer.wrap(sealed), ByteBuffer.allocate(ROOM));
    assertThat(why).isEqualTo(UdpCount.DROP_OTHER_VERSION);
    golden.written("another version of sealed ones", refusal(sealed, why), DatagramGoldenTest::refused);
    golden.check();
  }

  private static byte[] refusal(byte[] refused, UdpCount why) {
    var refusals = new UdpRefusals(new Counts<>(UdpCount.class));
    return taken(refusals.answer(ByteBuffer.wrap(refused), 0, refused.length, why, 0));
  }

  private static Refused refused(byte[] bytes) {
    assertThat(UdpRefusals.is(ByteBuffer.wrap(bytes))).isTrue();
    return new UdpRefusals(new Counts<>(UdpCount.class)).read(ByteBuffer.wrap(bytes), new Address("b:1"), A);
  }
}
