package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.tutti.spi.BufferPool;
import org.tutti.transport.Counts;

class ReassemblyTest {
  private final Counts<UdpCount> counters = new Counts<>(UdpCount.class);
  private final Reassembly pieces = new Reassembly(counters, new BufferPool(1 << 14), this::keep);
  private final ByteBuffer in = ByteBuffer.allocate(1 << 16);
  private final UnicastPiece piece = new UnicastPiece();
  private byte[] whole; // what was put together last

  private boolean add(long number, int index, int count, int unit, byte[] bytes) {
    UnicastPiece.write(in.clear(), index, count, unit, ByteBuffer.wrap(bytes), 0, bytes.length);
    return addRead(number);
  }

  private boolean add(long number, byte[] bytes) {
    in.clear().put(bytes);
    return addRead(number);
  }

  private boolean addRead(long number) {
    UnicastPiece.address(in, number, false, 1, 1);
    return UnicastPiece.is(in.flip()) && piece.read(in) && pieces.add(piece, in);
  }

  private void keep(ByteBuffer frames) {
    whole = new byte[frames.remaining()];
    frames.get(whole);
  }

  /// What leaves of an outgoing datagram, as datagrams.
  private static List<byte[]> cut(byte[] frames, int datagramBytes) {
    ByteBuffer bytes = ByteBuffer.allocate(DatagramHeader.BYTES + frames.length);
    var outgoing = new OutgoingDatagram(null, bytes, 0);
    bytes.put(frames);
    assertThat(outgoing.nextLength()).isEqualTo(DatagramHeader.BYTES + frames.length);
    outgoing.cut(datagramBytes);
    var all = new ArrayList<byte[]>();
    ByteBuffer out = ByteBuffer.allocate(1 << 16);
    boolean left = false;
    while (!left) {
      int length = outgoing.nextLength();
      outgoing.writePiece(out.clear()).flip();
      assertThat(out.limit()).isEqualTo(length).isLessThanOrEqualTo(datagramBytes);
      byte[] piece = new byte[length];
      out.get(piece);
      all.add(piece);
      left = outgoing.left();
    }
    return all;
  }

  @Test
  void whatIsCutIsPutTogetherWhateverTheOrder() {
    var random = new Random(4);
    long number = 1;
    for (int round = 0; round < 500; round++) {
      int datagramBytes = 512 + random.nextInt(1000);
      byte[] frames = new byte[datagramBytes - DatagramHeader.BYTES + 1 + random.nextInt(20_000)];
      random.nextBytes(frames);
      List<byte[]> cut = cut(frames, datagramBytes);
      assertThat(cut).hasSizeGreaterThan(1);
      var order = new ArrayList<Integer>();
      for (int i = 0; i < cut.size(); i++) {
        order.add(i);
      }
      Collections.shuffle(order, random);
      for (int i = 0; i < order.size(); i++) {
        boolean complete = add(number + order.get(i), cut.get(order.get(i)));
        assertThat(complete).isEqualTo(i == order.size() - 1);
      }
      assertThat(whole).isEqualTo(frames);
      number += cut.size();
    }
    assertThat(counters.get(UdpCount.PIECES_JOINED)).isEqualTo(500);
  }

  @Test
  void whatIsBehindTheLastPieceIsLeftAlone() {
    byte[] ten = new byte[10];
    assertThat(add(1, 0, 2, 10, ten)).isFalse();
    in.put(UnicastPiece.HEADER_BYTES + 3, (byte) 7); // of a datagram that was read together with the last piece
    assertThat(add(2, 1, 2, 10, new byte[3])).isTrue();
    assertThat(whole).hasSize(13);
    assertThat(in.clear().get(UnicastPiece.HEADER_BYTES + 3)).isEqualTo((byte) 7);
  }

  @Test
  void twoDatagramsMayBeMixedAndAThirdOneEndsTheFirst() {
    byte[] ten = new byte[10];
    assertThat(add(1, 0, 2, 10, ten)).isFalse();
    assertThat(add(3, 0, 2, 10, ten)).isFalse();
    assertThat(add(2, 1, 2, 10, ten)).isTrue();
    assertThat(add(5, 0, 2, 10, ten)).isFalse();
    assertThat(counters.get(UdpCount.DROP_INCOMPLETE)).isZero();
    assertThat(add(7, 0, 2, 10, ten)).isFalse();
    assertThat(counters.get(UdpCount.DROP_INCOMPLETE)).isEqualTo(1);
    assertThat(add(4, 1, 2, 10, ten)).isFalse();
    assertThat(counters.get(UdpCount.DROP_LATE_PIECE)).isEqualTo(1);
    assertThat(add(6, 1, 2, 10, ten)).isTrue();
    assertThat(add(8, 1, 2, 10, ten)).isTrue();
  }

  @Test
  void aPieceThatComesTwiceCountsOnce() {
    byte[] ten = new byte[10];
    assertThat(add(1, 0, 2, 10, ten)).isFalse();
    assertThat(add(1, 0, 2, 10, ten)).isFalse();
    assertThat(add(2, 1, 2, 10, ten)).isTrue();
    assertThat(add(2, 1, 2, 10, ten)).isFalse();
    assertThat(add(1, 0, 2, 10, ten)).isFalse();
    assertThat(counters.get(UdpCount.DROP_LATE_PIECE)).isEqualTo(3);
  }

  @Test
  void whatDoesNotAgreeIsDropped() {
    byte[] ten = new byte[10];
    int[][] bad = {
      {1, 0, 0, 10},
      {1, 0, 1, 9},
      {2, 2, 2, 10},
      {1, 0, 256, 10},
      {1, 0, 3, 9},
      {1, 0, 3, 11},
      {1, 0, 3, 0},
      {3, 2, 3, 9},
      {1, 1, 3, 10},
      {0, 0, 3, 10},
    };
    for (int[] one : bad) {
      assertThat(add(one[0], one[1], one[2], one[3], ten)).as(Arrays.toString(one)).isFalse();
    }
    assertThat(add(9, 1, 2, 10, new byte[0])).as("nothing").isFalse();
    assertThat(counters.get(UdpCount.PIECES_RECEIVED)).as("that may be a part of something").isZero();
    assertThat(add(9, 0, 255, 1000, new byte[1000])).as("longer than any datagram").isFalse();
    assertThat(counters.get(UdpCount.DROP_BAD_PIECE)).isEqualTo(1);
    assertThat(add(1, 0, 3, 10, ten)).isFalse();
    assertThat(add(2, 1, 4, 10, ten)).as("another count").isFalse();
    assertThat(add(2, 1, 3, 11, new byte[11])).as("another length").isFalse();
    assertThat(counters.get(UdpCount.DROP_BAD_PIECE)).isEqualTo(3);
  }

  @Test
  void whatWasMissingOfALongerOneIsNotWaitedFor() {
    byte[] piece = new byte[4];
    for (int lost = 0; lost < 2; lost++) {
      assertThat(add(100 * lost + 1, 0, 9, 4, piece)).as("the other eight pieces are lost").isFalse();
    }
    assertThat(add(1001, 0, 2, 4, piece)).isFalse();
    assertThat(add(1002, 1, 2, 4, piece)).isTrue();
    assertThat(whole).hasSize(8);
  }

  @Test
  void anythingElseDoesNoHarm() {
    var random = new SplittableRandom(6);
    for (int i = 0; i < 200_000; i++) {
      byte[] bytes = new byte[random.nextInt(3) == 0 ? random.nextInt(3000) : 20];
      int unit = random.nextInt(4) == 0 ? random.nextInt(65536) : bytes.length;
      int count = random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(5);
      int index = random.nextInt(5);
      int first = i / 20 + (random.nextInt(100) == 0 ? random.nextInt(5) : 0);
      if (add(first + index, index, count, unit, bytes)) {
        assertThat(whole.length).isBetween(1, (1 << 16) - DatagramHeader.BYTES);
      }
    }
    assertThat(counters.get(UdpCount.PIECES_JOINED)).isPositive();
  }
}
