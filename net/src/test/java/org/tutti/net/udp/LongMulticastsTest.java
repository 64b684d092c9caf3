package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// When a long multicast waits for frames of others, and whether it goes whole.
class LongMulticastsTest {
  private static final int COMPANY = 3;
  private static final int TAIL = 5000;

  private final QueuedReceiver a = new QueuedReceiver(1);
  private final QueuedReceiver b = new QueuedReceiver(2);
  private final QueuedReceiver c = new QueuedReceiver(3);
  private long now = 5_000_000_000L;
  private final LongMulticasts longOnes = new LongMulticasts(now);
  private int contents;

  private MulticastDatagram multicast() {
    return new MulticastDatagram("content " + ++contents, a.frame(0, contents, TAIL));
  }

  private boolean awaits(MulticastDatagram multicast) {
    return longOnes.awaitsCompany(now, multicast, COMPANY);
  }

  /// One that waits in vain.
  private MulticastDatagram lone() {
    MulticastDatagram multicast = multicast();
    assertThat(awaits(multicast)).isTrue();
    now += LongMulticasts.COMPANY_NANOS;
    assertThat(awaits(multicast)).isFalse();
    return multicast;
  }

  @Test
  void itWaitsForTheFramesOfAllForSomeTime() {
    MulticastDatagram multicast = multicast();
    assertThat(awaits(multicast)).isTrue();
    assertThat(multicast.companyNanos(now)).isEqualTo(LongMulticasts.COMPANY_NANOS);
    now += LongMulticasts.COMPANY_NANOS - 1;
    assertThat(awaits(multicast)).isTrue();
    now++;
    assertThat(awaits(multicast)).isFalse();
  }

  @Test
  void itLeavesWhenTheLastOneHasCome() {
    MulticastDatagram multicast = multicast();
    assertThat(awaits(multicast)).isTrue();
    assertThat(multicast.join(b.frame(0, contents, TAIL))).isTrue();
    assertThat(awaits(multicast)).isTrue();
    assertThat(multicast.join(c.frame(0, contents, TAIL))).isTrue();
    assertThat(awaits(multicast)).isFalse();
    assertThat(awaits(multicast())).as("that was not in vain").isTrue();
  }

  @Test
  void afterAWaitInVainNobodyWaitsForATimeThatDoubles() {
    for (long pause = LongMulticasts.LONE_MIN_NANOS;
        pause <= LongMulticasts.LONE_MAX_NANOS;
        pause = pause == LongMulticasts.LONE_MAX_NANOS ? pause + 1 : 2 * pause) {
      lone();
      now += pause - 1;
      assertThat(awaits(multicast())).isFalse();
      now++;
    }
    lone();
    now += LongMulticasts.LONE_MAX_NANOS - 1;
    assertThat(awaits(multicast())).as("no longer than that").isFalse();
    now++;
    assertThat(awaits(multicast())).isTrue();
  }

  @Test
  void whoFindsCompanyMakesThatTimeShortAgain() {
    lone();
    now += LongMulticasts.LONE_MAX_NANOS;
    lone();
    MulticastDatagram complete = multicast();
    assertThat(complete.join(b.frame(0, contents, TAIL))).isTrue();
    assertThat(complete.join(c.frame(0, contents, TAIL))).isTrue();
    assertThat(awaits(complete)).isFalse();
    now += LongMulticasts.LONE_MAX_NANOS;
    lone();
    now += LongMulticasts.LONE_MIN_NANOS;
    assertThat(awaits(multicast())).isTrue();
  }

  @Test
  void whatHasLeftForSomeIsNotWaitedForAgain() {
    MulticastDatagram left = lone();
    now += LongMulticasts.LONE_MAX_NANOS;
    assertThat(awaits(new MulticastDatagram(left.key, b.frame(0, 1, TAIL)))).isFalse();
    assertThat(awaits(multicast())).isTrue();
  }

  @Test
  void itGoesWholeIfAllReceiversTakeThat() {
    MulticastDatagram multicast = multicast();
    assertThat(multicast.join(b.frame(0, contents, TAIL))).isTrue();
    assertThat(longOnes.goesWhole(now, multicast)).isTrue();
    b.takesWhole = false;
    assertThat(longOnes.goesWhole(now, multicast)).isFalse();
  }

  @Test
  void itDoesNotGoWholeForASecondAfterALoss() {
    MulticastDatagram multicast = multicast();
    longOnes.lost(now);
    assertThat(longOnes.goesWhole(now, multicast)).isFalse();
    now += LongMulticasts.WHOLE_AFTER_NANOS / 2;
    longOnes.lost(now);
    now += LongMulticasts.WHOLE_AFTER_NANOS - 1;
    assertThat(longOnes.goesWhole(now, multicast)).isFalse();
    now++;
    assertThat(longOnes.goesWhole(now, multicast)).isTrue();
  }
}
