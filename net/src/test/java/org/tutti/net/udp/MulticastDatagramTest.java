package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MulticastDatagramTest {
  private static final long LIFE = 42;

  /// A multicast for three peers, whose frames are `a-end`, `bb-end` and `-end`.
  private static ByteBuffer multicast(long first, long second, long third) {
    ByteBuffer out = ByteBuffer.allocate(1000);
    DatagramHeader.write(out, DatagramHeader.MULTICAST, 0, 7);
    out.position(DatagramHeader.BYTES);
    out.put((byte) 3);
    share(out, first, 11, "a");
    share(out, second, 12, "bb");
    share(out, third, 13, "");
    return out.put(bytes("-end")).flip();
  }

  private static void share(ByteBuffer out, long life, long number, String head) {
    out.putLong(life).putLong(number).putLong(5).putInt(6).putInt(7).putInt(8).putLong(9);
    out.putShort((short) head.length()).put(bytes(head));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static DatagramHeader read(ByteBuffer in) {
    var header = new DatagramHeader();
    assertThat(header.read(in)).isEqualTo(DatagramHeader.Fault.NONE);
    return header;
  }

  private static String frame(ByteBuffer in) {
    byte[] frame = new byte[in.getShort()];
    in.get(frame);
    assertThat(in.remaining()).isZero();
    return new String(frame, StandardCharsets.US_ASCII);
  }

  @Test
  void aReceiverFindsItsPart() {
    String[] frames = {"a-end", "bb-end", "-end"};
    for (int mine = 0; mine < frames.length; mine++) {
      ByteBuffer in = multicast(mine == 0 ? LIFE : 1, mine == 1 ? LIFE : 2, mine == 2 ? LIFE : 3);
      DatagramHeader header = read(in);
      assertThat(MulticastDatagram.pick(in, header, LIFE)).isTrue();
      assertThat(header.to).isEqualTo(LIFE);
      assertThat(header.number).isEqualTo(11 + mine);
      assertThat(header.before).isEqualTo(9);
      assertThat(frame(in)).isEqualTo(frames[mine]);
    }
  }

  @Test
  void aMulticastForOthersIsNotTaken() {
    ByteBuffer in = multicast(1, 2, 3);
    assertThat(MulticastDatagram.pick(in, read(in), LIFE)).isFalse();
  }

  @Test
  void aShareIsFoundInTheBeginningOfAMulticastAsFarAsThatGoes() {
    int second = DatagramHeader.BYTES + 1 + MulticastDatagram.SHARE_BYTES + 1; // behind the first one and its `a`
    for (int length = DatagramHeader.BYTES; length <= multicast(1, LIFE, 3).limit(); length++) {
      ByteBuffer in = multicast(1, LIFE, 3).limit(length);
      DatagramHeader header = read(in);
      boolean there = length >= second + MulticastDatagram.SHARE_BYTES;
      assertThat(MulticastDatagram.hasShare(in, header, LIFE)).isEqualTo(there);
      if (there) {
        assertThat(header.number).isEqualTo(12);
        assertThat(header.before).isEqualTo(9);
      }
    }
    ByteBuffer others = multicast(1, 2, 3);
    assertThat(MulticastDatagram.hasShare(others, read(others), LIFE)).isFalse();
  }

  @Test
  void aPartIsTakenOfAMulticastOfWhichAllSharesAreThere() {
    int shares = multicast(1, LIFE, 3).limit() - "-end".length();
    for (int length = DatagramHeader.BYTES; length < shares; length++) {
      ByteBuffer in = multicast(1, LIFE, 3).limit(length);
      assertThat(MulticastDatagram.pick(in, read(in), LIFE)).as("%d bytes", length).isFalse();
    }
    ByteBuffer in = multicast(1, LIFE, 3).limit(shares);
    assertThat(MulticastDatagram.pick(in, read(in), LIFE)).isTrue();
    assertThat(frame(in)).isEqualTo("bb");
  }

  @Test
  void whatIsCutOffOrSpoiltDoesNoHarm() {
    var random = new SplittableRandom(3);
    for (int round = 0; round < 20_000; round++) {
      ByteBuffer in = multicast(1, LIFE, 3);
      for (int spoilt = random.nextInt(4); spoilt > 0; spoilt--) {
        in.put(DatagramHeader.BYTES + random.nextInt(in.limit() - DatagramHeader.BYTES), (byte) random.nextInt(256));
      }
      in.limit(DatagramHeader.BYTES + random.nextInt(in.limit() - DatagramHeader.BYTES + 1));
      DatagramHeader header = read(in);
      if (MulticastDatagram.pick(in, header, LIFE)) {
        assertThat(in.getShort() & 0xffff).isEqualTo(in.remaining());
      }
    }
  }
}
