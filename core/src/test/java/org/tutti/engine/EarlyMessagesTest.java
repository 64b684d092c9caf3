package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.View;
import org.tutti.wire.Channel;

class EarlyMessagesTest {
  private static final View VIEW = primary(1, A, B);

  private static final byte CHAINED = 1; // flags on the wire
  private static final byte RELAYED = 8;
  private static final int BATCH = 1 << 20;

  private final ViewFilter.EarlyMessages early = new ViewFilter.EarlyMessages(1 << 16);

  private boolean keep(ByteBuffer bytes) {
    return early.keep(B, Channel.BATCH, VIEW, bytes);
  }

  @Test
  void emptyMessagesAreBoundedToo() {
    long kept = 0;
    while (kept < 10_000_000 && keep(ByteBuffer.allocate(0))) {
      kept++;
    }
    assertThat(kept).isPositive().isLessThan(1_000_000);
    assertThat(early.keep(A, Channel.BATCH, VIEW, ByteBuffer.allocate(0))).as("another sender").isTrue();
    assertThat(early.take()).hasSize((int) kept + 1);
    assertThat(keep(ByteBuffer.allocate(0))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(bytes = {CHAINED, RELAYED})
  void whoPassesBatchesOnHasRoomForThoseOfAll(byte flags) {
    int direct = 0;
    while (keep(ByteBuffer.allocate(BATCH))) {
      direct++;
    }
    int indirect = 0;
    while (keep(ByteBuffer.allocate(BATCH).put(0, flags))) {
      indirect++;
    }
    assertThat(direct).isPositive();
    assertThat(indirect).isBetween(VIEW.size() * direct, VIEW.size() * (direct + 1));
  }
}
