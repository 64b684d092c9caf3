package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MulticastPieceTest {
  private static final long LIFE = 0x1234_5678_9abc_def1L;

  private static ByteBuffer whole(int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(length).nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  @Test
  void aPieceIsReadAsItWasWritten() {
    ByteBuffer out = ByteBuffer.allocate(1436);
    MulticastPiece.write(out, 3, 24, LIFE, 100, whole(1000));
    var piece = new MulticastPiece();
    assertThat(MulticastPiece.is(out)).isTrue();
    assertThat(piece.read(out)).isTrue();
    assertThat(List.of(piece.index, piece.count, piece.life)).containsExactly(3, 24, (int) LIFE);
    assertThat(piece.number).isEqualTo(100);
    assertThat(piece.first()).isEqualTo(97);
    assertThat(piece.again).isFalse();
    assertThat(out).isEqualTo(whole(1000));
  }

  @Test
  void piecesThatAreSaidAgainMakeTheWhole() {
    for (int length : new int[] {1437, 2838, 2839, 33_000, 65_000}) {
      int count = MulticastPiece.count(length, 1436);
      assertThat(MulticastPiece.length(length, count)).isLessThanOrEqualTo(1436);
      var joined = new ByteArrayOutputStream();
      var piece = new MulticastPiece();
      for (int i = 0; i < count; i++) {
        byte[] bytes = MulticastPiece.again(whole(length).array(), i, count, LIFE, 7);
        assertThat(MulticastPiece.is(bytes, i, count)).isTrue();
        assertThat(MulticastPiece.is(bytes, i + 1, count)).isFalse();
        assertThat(piece.read(ByteBuffer.wrap(bytes))).isTrue();
        assertThat(piece.again).isTrue();
        assertThat(piece.first()).isEqualTo(7);
        joined.write(bytes, MulticastPiece.HEADER_BYTES, bytes.length - MulticastPiece.HEADER_BYTES);
      }
      assertThat(joined.toByteArray()).isEqualTo(whole(length).array());
    }
  }

  @Test
  void whatIsRepairedIsWhatWasSent() {
    ByteBuffer out = ByteBuffer.allocate(1436);
    MulticastPiece.write(out, 0, 2, LIFE, 7, whole(2000).limit(1000));
    assertThat(MulticastPiece.again(out, 0)).isEqualTo(MulticastPiece.again(whole(2000).array(), 0, 2, LIFE, 7));
  }

  @Test
  void whatCannotBeAPieceIsRefused() {
    var random = new SplittableRandom(5);
    for (int round = 0; round < 20_000; round++) {
      ByteBuffer out = ByteBuffer.allocate(100);
      MulticastPiece.write(out, 3, 24, LIFE, 100, whole(20));
      for (int spoilt = random.nextInt(4); spoilt > 0; spoilt--) {
        out.put(random.nextInt(out.limit()), (byte) random.nextInt(256));
      }
      out.limit(random.nextInt(out.limit() + 1));
      var piece = new MulticastPiece();
      if (piece.read(out)) {
        assertThat(piece.index).isLessThan(piece.count);
        assertThat(piece.count).isBetween(2, MulticastPiece.COUNT_MAX);
        assertThat(piece.first()).isPositive();
        assertThat(out.remaining()).isPositive();
      }
    }
  }

  @Test
  void aShortMulticastIsNotCut() {
    assertThat(MulticastPiece.count(1436, 1436)).isEqualTo(1);
    assertThat(MulticastPiece.length(1436, 1)).isEqualTo(1436);
    assertThat(MulticastPiece.count(1437, 1436)).isEqualTo(2);
  }
}
