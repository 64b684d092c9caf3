package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.transport.Counts;

class SealTest {
  private static final int ROOM = 1000;
  private static final UdpKey KEY = key(1);

  private final Counts<UdpCount> counters = new Counts<>(UdpCount.class);
  private final Seal a = seal(UdpKeys.of(KEY), 11);
  private final Seal b = seal(UdpKeys.of(KEY), 22);
  private final ByteBuffer into = ByteBuffer.allocateDirect(ROOM);

  private static byte[] secret(int seed) {
    byte[] bytes = new byte[UdpKey.BYTES];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  private static UdpKey key(int seed) {
    return UdpKey.of(secret(seed));
  }

  private Seal seal(UdpKeys keys, long life) {
    return new Seal(keys, life, ROOM, 10, counters);
  }

  /// Writes a file of keys that are made of these numbers, and has a member follow it at once.
  private void change(UdpKeys keys, Seal seal, Path file, int... seeds) throws IOException {
    write(file, seeds);
    keys.reload();
    seal.follow(System.nanoTime());
  }

  private static Path write(Path file, int... seeds) throws IOException {
    return Files.write(file, Arrays.stream(seeds).mapToObj(seed -> HexFormat.of().formatHex(secret(seed))).toList());
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
    assertThat(open(seal(UdpKeys.of(key(2)), 33), sealed)).isEqualTo("DROP_UNKNOWN_KEY");
    sealed[3] = key(2).id();
    assertThat(open(seal(UdpKeys.of(key(2)), 33), sealed)).isEqualTo("DROP_FORGED");
  }

  @Test
  void theSameTextIsNeverSealedAlike() {
    assertThat(close(a, "x")).isNotEqualTo(close(a, "x"));
    assertThat(close(a, "x")).isNotEqualTo(close(b, "x"));
  }

  @Test
  void whatWasChangedAnywhereIsRefused() {
    byte[] sealed = close(a, "deposit 100");
    for (int at = 3; at < sealed.length; at++) {
      sealed[at] ^= 1;
      assertThat(open(b, sealed)).isIn("DROP_FORGED", "DROP_REPLAYED", "DROP_UNKNOWN_KEY");
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

  @Test
  void keysAreChangedInThreeSteps(@TempDir Path directory) throws IOException {
    Path ofA = write(directory.resolve("a"), 1);
    Path ofB = write(directory.resolve("b"), 1);
    UdpKeys keysOfA = UdpKeys.follow(ofA);
    UdpKeys keysOfB = UdpKeys.follow(ofB);
    Seal c = seal(keysOfA, 33);
    Seal d = seal(keysOfB, 44);
    change(keysOfB, d, ofB, 1, 2);
    assertThat(open(d, close(c, "step 1, half"))).isEqualTo("step 1, half");
    assertThat(open(c, close(d, "and back"))).isEqualTo("and back");
    change(keysOfA, c, ofA, 1, 2);
    change(keysOfB, d, ofB, 2, 1);
    assertThat(counters.get(UdpCount.OPENED_WITH_OTHER_KEY)).isEqualTo(0);
    assertThat(open(d, close(c, "step 2, half"))).isEqualTo("step 2, half");
    assertThat(open(c, close(d, "and back"))).isEqualTo("and back");
    assertThat(counters.get(UdpCount.OPENED_WITH_OTHER_KEY)).isEqualTo(2);
    byte[] late = close(c, "late");
    byte[] early = close(c, "early");
    change(keysOfA, c, ofA, 2, 1);
    assertThat(open(d, close(c, "step 2"))).isEqualTo("step 2");
    assertThat(open(d, early)).isEqualTo("early");
    change(keysOfA, c, ofA, 2);
    change(keysOfB, d, ofB, 2);
    assertThat(open(d, close(c, "step 3"))).isEqualTo("step 3");
    assertThat(open(d, late)).isEqualTo("DROP_UNKNOWN_KEY");
    assertThat(counters.get(UdpCount.OPENED_WITH_OTHER_KEY)).isEqualTo(3);
    assertThat(counters.get(UdpCount.KEYS_CHANGED)).isEqualTo(6);
  }

  @Test
  void whatWasSeenIsRefusedWhenItsKeyIsInForceAgain(@TempDir Path directory) throws IOException {
    Path file = write(directory.resolve("keys"), 1);
    UdpKeys keys = UdpKeys.follow(file);
    Seal c = seal(keys, 33);
    Seal d = seal(keys, 44);
    byte[] first = close(c, "x");
    assertThat(open(d, first)).isEqualTo("x");
    change(keys, d, file, 2, 1);
    c.follow(System.nanoTime());
    assertThat(open(d, first)).as("its key is the second now").isEqualTo("DROP_REPLAYED");
    assertThat(open(d, close(c, "y"))).isEqualTo("y");
    change(keys, d, file, 1);
    c.follow(System.nanoTime());
    assertThat(open(d, first)).isEqualTo("DROP_REPLAYED");
    byte[] again = close(c, "x");
    assertThat(again).as("nothing is sealed twice alike under one key").isNotEqualTo(first);
    assertThat(Arrays.copyOf(again, Seal.HEADER_BYTES)).isNotEqualTo(Arrays.copyOf(first, Seal.HEADER_BYTES));
    assertThat(open(d, again)).isEqualTo("x");
  }

  @Test
  void keysWithOneIdAreTriedInTurn(@TempDir Path directory) throws IOException {
    int alike = IntStream.iterate(2, seed -> seed + 1).filter(seed -> key(seed).id() == KEY.id()).findFirst().orElse(0);
    Path file = write(directory.resolve("keys"), alike, 1);
    Seal both = seal(UdpKeys.follow(file), 33);
    assertThat(open(both, close(a, "second"))).isEqualTo("second");
    assertThat(open(both, close(seal(UdpKeys.of(key(alike)), 55), "first"))).isEqualTo("first");
    assertThat(open(b, close(both, "x"))).isEqualTo("DROP_FORGED");
  }

  @Test
  void aBadFileKeepsTheKeysAndIsCounted(@TempDir Path directory) throws IOException {
    Path file = write(directory.resolve("keys"), 1);
    UdpKeys keys = UdpKeys.follow(file);
    Seal c = seal(keys, 33);
    String good = Files.readString(file);
    for (String bad :
        List.of("", "\n", good + "secret", good.strip() + "0", good.substring(2), good + "x".repeat(9000))) {
      Files.writeString(file, bad);
      assertThat(keys.reload()).isFalse();
      assertThat(keys.problem())
          .contains(file.toString())
          .doesNotContain("secret")
          .doesNotContain(good.substring(0, 8));
      assertThatIOException().isThrownBy(() -> UdpKeys.follow(file)).withMessageContaining(file.toString());
    }
    write(file, 1, 2, 3, 4, 5);
    assertThat(keys.reload()).isFalse();
    assertThat(keys.problem()).contains("holds 5 keys, not 1 to 4");
    Files.delete(file);
    assertThat(keys.reload()).isFalse();
    assertThat(keys.problem()).startsWith("no file " + file);
    c.follow(System.nanoTime());
    assertThat(open(b, close(c, "x"))).isEqualTo("x");
    assertThat(counters.get(UdpCount.KEYS_UNUSABLE)).isEqualTo(8);
    assertThat(counters.get(UdpCount.KEYS_CHANGED)).isEqualTo(0);
    change(keys, c, file, 2, 1);
    assertThat(keys.problem()).isNull();
    assertThat(open(b, close(c, "x"))).isEqualTo("DROP_UNKNOWN_KEY");
    assertThat(open(c, close(b, "y"))).isEqualTo("y");
  }
}
