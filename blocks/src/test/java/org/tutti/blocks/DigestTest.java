package org.tutti.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.tutti.blocks.Blocks.Kind;
import org.tutti.replica.Command;

/// The digest of a state follows from the state, not from the way to it.
class DigestTest {
  private static final int COMMANDS = 2000;
  private static final int KEYS = 40;

  private final Random random = new Random(7);
  private final Blocks blocks = new Blocks();
  private long position;

  private void apply(ByteBuffer command) {
    try {
      blocks.apply(new Command(1 + random.nextInt(3), position, position++, Instant.EPOCH, command));
    } catch (IllegalArgumentException _) {
      // Refused, as where one waits already: that leaves the state as it was.
    }
  }

  private static ByteBuffer update(String map, String key, String value) {
    ByteBuffer bytes = Codec.text().encode(key);
    ByteBuffer more = Codec.text().encode(value);
    return Message.put(
            Message.put(
                    Message.begin(
                            Kind.MAP,
                            map,
                            MapBlock.UPDATE,
                            Long.BYTES + 1 + Message.length(bytes) + Message.length(more))
                        .putLong(MapBlock.ANY),
                    bytes)
                .put((byte) 1),
            more)
        .flip();
  }

  private static ByteBuffer removal(String map, String key) {
    ByteBuffer bytes = Codec.text().encode(key);
    return Message.put(
            Message.begin(Kind.MAP, map, MapBlock.UPDATE, Long.BYTES + 1 + Message.length(bytes)).putLong(MapBlock.ANY),
            bytes)
        .put((byte) 0)
        .flip();
  }

  private ByteBuffer any() {
    String name = "b" + random.nextInt(3);
    long ticket = random.nextInt(5);
    return switch (random.nextInt(6)) {
      case 0 -> removal(name, "k" + random.nextInt(KEYS));
      case 1 -> {
        ByteBuffer label = Codec.text().encode("x");
        ByteBuffer out = Message.begin(Kind.LOCK, name, LockBlock.ENTER, Long.BYTES + 1 + Message.length(label));
        yield Message.put(out.putLong(ticket).put((byte) 1), label).flip();
      }
      case 2 -> Message.begin(Kind.LOCK, name, LockBlock.LEAVE, Long.BYTES).putLong(ticket).flip();
      case 3 -> Message.begin(Kind.COUNTER, name, CounterBlock.ADD, Long.BYTES).putLong(ticket).flip();
      case 4 ->
          Message.begin(Kind.BARRIER, name, BarrierBlock.ARRIVE, Long.BYTES + Integer.BYTES)
              .putLong(ticket)
              .putInt(3)
              .flip();
      default -> update(name, "k" + random.nextInt(KEYS), "v" + random.nextInt());
    };
  }

  private long digest() {
    return blocks.digest().orElseThrow();
  }

  @Test
  void aRestoredStateHasTheSameDigest() throws IOException {
    for (int i = 0; i < COMMANDS; i++) {
      apply(any());
      if (i % 100 == 0) {
        var bytes = new ByteArrayOutputStream();
        blocks.snapshot().writeTo(bytes);
        var restored = new Blocks();
        restored.restore(new ByteArrayInputStream(bytes.toByteArray()));
        assertThat(restored.digest()).isEqualTo(blocks.digest());
      }
    }
  }

  @Test
  void everyChangeChangesIt() {
    apply(update("m", "a", "1"));
    long one = digest();
    apply(update("m", "b", "1"));
    long two = digest();
    assertThat(two).isNotEqualTo(one);
    apply(removal("m", "c"));
    assertThat(digest()).as("nothing was there").isEqualTo(two);
    apply(removal("m", "b"));
    assertThat(digest()).as("the revision counts").isNotEqualTo(one).isNotEqualTo(two);
  }

  @Test
  void valuesThatChangePlacesAreAnotherState() {
    var other = new Blocks();
    apply(update("m", "a", "1"));
    apply(update("m", "b", "2"));
    other.apply(new Command(1, 0, 0, Instant.EPOCH, update("m", "a", "2")));
    other.apply(new Command(1, 1, 1, Instant.EPOCH, update("m", "b", "1")));
    assertThat(other.digest()).isNotEqualTo(blocks.digest());
  }
}
