package org.tutti.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SealTest {
  private static final int ROOM = 1000;
  private static final UdpKey KEY = key(1);

  private final Seal a = new Seal(KEY, 11, ROOM, 10);
  private final Seal b = new Seal(KEY, 22, ROOM, 10);
  private final ByteBuffer into = ByteBuffer.allocateDirect(ROOM);

  private static UdpKey key(int seed) {
    byte[] bytes = new byte[UdpKey.BYTES];
    new SplittableRandom(seed).nextBytes(bytes);
    return UdpKey.of(bytes);
  }

  private static byte[] close(Seal seal, String text) {
    ByteBuffer sealed = seal.close(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
    byte[] bytes = new byte[sealed.remaining()];
    sealed.get(bytes);
    return bytes;
  }

  private String open(Seal seal, byte[] sealed) {
    UdpCount refused = seal.open(ByteBuffer.wrap(sealed), into);
    return refused != null ? refused.name() : StandardCharsets.US_ASCII.decode(into).toString();
  }

  @Test
  void whatIsSealedCanBeReadWithTheKeyOnly() {
    byte[] sealed = close(a, "deposit 100");
    assertThat(sealed).hasSize("deposit 100".length() + Seal.BYTES);
    assertThat(new String(sealed, StandardCharsets.ISO_8859_1)).doesNotContain("deposit");
    assertThat(open(b, sealed)).isEqualTo("deposit 100");
    assertThat(open(new Seal(key(2), 33, ROOM, 10), sealed)).isEqualTo("DROP_FORGED");
  }

  @Test
  void theSameTextIsNeverSealedAlike() {
    assertThat(close(a, "x")).isNotEqualTo(close(a, "x"));
    assertThat(close(a, "x")).isNotEqualTo(close(b, "x"));
  }

  @Test
  void whatWasChangedAnywhereIsRefused() {
    byte[] sealed = close(a, "deposit 100");
    for (int at = 4; at < sealed.length; at++) {
      sealed[at] ^= 1;
      assertThat(open(b, sealed)).isIn("DROP_FORGED", "DROP_REPLAYED");
      sealed[at] ^= 1;
    }
    for (int length = 0; length < sealed.length; length++) {
      assertThat(open(b, Arrays.copyOf(sealed, length))).isIn("DROP_FORGED", "DROP_UNSEALED");
    }
    assertThat(open(b, sealed)).isEqualTo("deposit 100");
  }

  @Test
  void whatWasSeenIsRefusedAndWhatWasOvertakenIsNot() {
    List<byte[]> all = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      all.add(close(a, Integer.toString(i)));
    }
    for (int from = 0; from < all.size(); from += 1000) {
      Collections.shuffle(all.subList(from, from + 1000), new Random(from));
    }
    for (byte[] one : all) {
      assertThat(open(b, one)).containsOnlyDigits();
    }
    for (byte[] one : all) {
      assertThat(open(b, one)).isEqualTo("DROP_REPLAYED");
    }
    close(a, "lost");
    assertThat(open(b, close(a, "later"))).isEqualTo("later");
  }
}
