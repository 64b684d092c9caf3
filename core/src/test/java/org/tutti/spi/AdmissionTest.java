package org.tutti.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AdmissionTest {
  private final Admission<Connection> port = new Admission<>(2, Duration.ofMinutes(10));
  private final Admission<Connection> hasty = new Admission<>(2, Duration.ofMillis(50));

  private static final class Connection implements Closeable {
    private final CountDownLatch closed = new CountDownLatch(1);

    @Override
    public void close() {
      closed.countDown();
    }

    boolean isClosed() {
      return closed.getCount() == 0;
    }
  }

  @AfterEach
  void end() {
    port.close();
    hasty.close();
  }

  @Test
  void aStrangerIsClosedWhenItsTimeIsOver() throws Exception {
    var silent = new Connection();
    assertThat(hasty.admit(silent)).isTrue();
    assertThat(silent.closed.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(hasty.late()).isEqualTo(1);
  }

  /// Its reader may see the end of its time before the port does, or after it.
  @Test
  void whoeverSeesTheEndOfItsTimeItIsCountedOnce() throws Exception {
    var first = new Connection();
    port.admit(first);
    port.expired(first);
    port.expired(first);
    assertThat(port.late()).isEqualTo(1);
    var second = new Connection();
    hasty.admit(second);
    assertThat(second.closed.await(30, TimeUnit.SECONDS)).isTrue();
    hasty.expired(second);
    hasty.left(second);
    assertThat(hasty.late()).isEqualTo(1);
  }

  @Test
  void theOldestStrangerYieldsAndNobodyWhoIsKnown() {
    var known = new Connection();
    var stranger = new Connection();
    port.admit(known);
    port.greeted(known);
    port.admit(stranger);
    var next = new Connection();
    assertThat(port.admit(next)).isTrue();
    assertThat(stranger.isClosed()).isTrue();
    port.greeted(next);
    assertThat(port.admit(new Connection())).as("all are known").isFalse();
    assertThat(known.isClosed()).isFalse();
    assertThat(port.crowdedOut()).isEqualTo(1);
    assertThat(port.refused()).isEqualTo(1);
  }
}
