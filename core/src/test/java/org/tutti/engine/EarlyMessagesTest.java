package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.tutti.View;
import org.tutti.wire.Channel;

class EarlyMessagesTest {
  private static final View VIEW = primary(1, A, B);

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
}
