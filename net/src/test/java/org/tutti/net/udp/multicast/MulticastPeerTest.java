package org.tutti.net.udp.multicast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MulticastPeerTest {
  private static final long MILLI = Duration.ofMillis(1).toNanos();

  private final MulticastPeer peer = new MulticastPeer();
  private long now = 9_000_000_000L;

  @BeforeEach
  void itHearsMulticasts() {
    peer.begin(now);
    assertThat(peer.hearing()).isEqualTo(MulticastPeer.Hearing.UNKNOWN);
    assertThat(peer.isCompany()).isFalse();
    assertThat(peer.heard(now)).isTrue();
    assertThat(peer.joins(now, false)).isTrue();
  }

  @Test
  void whoHasSaidNothingForLongIsNotBelievedToHear() {
    now += MulticastPeer.HEARD_NANOS;
    assertThat(peer.isDeaf(now)).isFalse();
    assertThat(peer.isDeaf(now + 1)).isTrue();
    assertThat(peer.isDeaf(now + 2)).as("that is said once").isFalse();
    assertThat(peer.joins(now, true)).isFalse();
    assertThat(peer.heard(now)).isTrue();
    assertThat(peer.joins(now, true)).isTrue();
  }

  @Test
  void brokenDatagramsReachWhoHasLatelyHeardOne() {
    assertThat(peer.takesWhole(now)).isFalse();
    peer.heardWhole(now);
    assertThat(peer.takesWhole(now + MulticastPeer.HEARD_NANOS)).isTrue();
    assertThat(peer.takesWhole(now + MulticastPeer.HEARD_NANOS + 1)).isFalse();
    peer.begin(now);
    assertThat(peer.takesWhole(now)).as("another life").isFalse();
  }

  @Test
  void whoWasWaitedForInVainIsAloneForAWhileAndUntilItReads() {
    peer.lag(now);
    assertThat(peer.isCompany()).isFalse();
    now += 20 * MILLI;
    assertThat(peer.joins(now, false)).as("it has read nothing").isFalse();
    peer.moved();
    assertThat(peer.joins(now - 1, false)).isFalse();
    assertThat(peer.joins(now, false)).isTrue();
    assertThat(peer.isCompany()).isTrue();
  }

  @Test
  void whoHasNothingLeftToReadJoinsAgainToo() {
    peer.lag(now);
    assertThat(peer.joins(now + 20 * MILLI - 1, true)).isFalse();
    assertThat(peer.joins(now + 20 * MILLI, true)).isTrue();
  }

  @Test
  void whatWasReadBeforeItLaggedDoesNotCount() {
    peer.moved();
    peer.lag(now);
    assertThat(peer.joins(now + 1000 * MILLI, false)).isFalse();
  }

  @Test
  void whoLagsAgainIsAloneForTwiceAsLongUpToASecond() {
    for (long alone = 20; alone < 1000; alone *= 2) {
      laggedFor(alone);
    }
    laggedFor(1000);
    laggedFor(1000);
    now += 1000 * MILLI;
    laggedFor(20);
  }

  private void laggedFor(long millis) {
    peer.lag(now);
    now += millis * MILLI;
    assertThat(peer.joins(now - 1, true)).isFalse();
    assertThat(peer.joins(now, true)).isTrue();
  }
}
