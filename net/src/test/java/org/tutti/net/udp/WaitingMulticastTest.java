package org.tutti.net.udp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.net.udp.MulticastDatagram.PATIENCE_NANOS;

import org.junit.jupiter.api.Test;

/// Which frames make a multicast, when it may leave, for whom it waits and for how long.
class WaitingMulticastTest {
  private static final int HEAD = 40;
  private static final int TAIL = 1000;
  private static final long START = 7_000_000_000L;

  private final QueuedReceiver a = new QueuedReceiver(1);
  private final QueuedReceiver b = new QueuedReceiver(2);
  private final QueuedReceiver c = new QueuedReceiver(3);

  private static MulticastDatagram multicast(int content, int tail, QueuedReceiver... receivers) {
    var multicast = new MulticastDatagram(content + "", receivers[0].frame(HEAD, content, tail));
    for (int i = 1; i < receivers.length; i++) {
      assertThat(multicast.join(receivers[i].frame(HEAD, content, tail))).isTrue();
    }
    return multicast;
  }

  // ---- which frames make one ---------------------------------------------------------------------------------------

  @Test
  void framesThatEndAlikeMakeOne() {
    MulticastDatagram multicast = multicast(1, TAIL, a, b, c);
    assertThat(multicast.isShared()).isTrue();
    assertThat(multicast.length())
        .as("the end once, and for each receiver its share and its beginning")
        .isEqualTo(DatagramHeader.BYTES + 1 + 3 * (MulticastDatagram.SHARE_BYTES + HEAD) + TAIL);
  }

  @Test
  void aReceiverGetsOneFrameOfIt() {
    MulticastDatagram multicast = multicast(1, TAIL, a, b);
    assertThat(multicast.join(b.frame(HEAD, 1, TAIL))).isFalse();
  }

  @Test
  void framesThatHaveLittleInCommonGoAlone() {
    var little = new MulticastDatagram("", a.frame(HEAD, 1, MulticastDatagram.TAIL_MIN - 1));
    assertThat(little.join(b.frame(HEAD, 1, MulticastDatagram.TAIL_MIN - 1))).isFalse();
    var multicast = new MulticastDatagram("", a.frame(HEAD, 1, MulticastDatagram.TAIL_MIN));
    assertThat(multicast.join(b.frame(HEAD, 2, MulticastDatagram.TAIL_MIN))).isFalse();
    assertThat(multicast.join(b.frame(HEAD, 1, MulticastDatagram.TAIL_MIN))).isTrue();
  }

  @Test
  void framesThatDifferInMoreThanTheirBeginningsGoAlone() {
    var multicast = new MulticastDatagram("", a.frame(HEAD, 1, TAIL));
    assertThat(multicast.join(b.frame(MulticastDatagram.HEAD_MAX + 1, 1, TAIL))).isFalse();
    assertThat(multicast.join(b.frame(MulticastDatagram.HEAD_MAX, 1, TAIL))).isTrue();
  }

  @Test
  void aFrameThatIsTooLongForThePiecesOfAPathGoesAlone() {
    int path = 100;
    b.path = path;
    c.path = path;
    int most = MulticastPiece.COUNT_MAX * (path - MulticastPiece.HEADER_BYTES);
    int fits = most - (DatagramHeader.BYTES + 1 + 2 * (MulticastDatagram.SHARE_BYTES + HEAD));
    var longer = new MulticastDatagram("", a.frame(HEAD, 1, fits + 1));
    assertThat(longer.join(b.frame(HEAD, 1, fits + 1))).isFalse();
    var multicast = new MulticastDatagram("", a.frame(HEAD, 1, fits));
    assertThat(multicast.join(b.frame(HEAD, 1, fits))).isTrue();
    assertThat(multicast.count()).isEqualTo(MulticastPiece.COUNT_MAX);
    assertThat(multicast.join(c.frame(HEAD, 1, fits))).as("nor with a third share").isFalse();
  }

  // ---- when it may leave -------------------------------------------------------------------------------------------

  @Test
  void itLeavesWhenItIsNextForAllAndAllHaveRoom() {
    MulticastDatagram before = multicast(1, TAIL, a, b);
    MulticastDatagram multicast = multicast(2, TAIL, a, b, c);
    assertThat(before.isReady()).isTrue();
    assertThat(multicast.isReady()).as("something is before it").isFalse();
    a.queue.removeFirst();
    b.queue.removeFirst();
    assertThat(multicast.isReady()).isTrue();
    c.room = false;
    assertThat(multicast.isReady()).isFalse();
  }

  @Test
  void whoHasNoRoomAndReadsNothingIsLateAfterAWhile() {
    MulticastDatagram multicast = multicast(1, TAIL, a, b, c);
    a.room = false;
    assertThat(multicast.late(START)).isEmpty();
    assertThat(multicast.patienceNanos(START)).isEqualTo(PATIENCE_NANOS);
    assertThat(multicast.late(START + PATIENCE_NANOS - 1)).isEmpty();
    assertThat(multicast.patienceNanos(START + PATIENCE_NANOS - 1)).isEqualTo(1);
    assertThat(multicast.late(START + PATIENCE_NANOS)).extracting(late -> late.peer).containsExactly(a);
  }

  @Test
  void whoReadsIsWaitedForHoweverSlowItIs() {
    MulticastDatagram multicast = multicast(1, TAIL, a, b);
    a.room = false;
    b.room = false;
    long now = START;
    for (int times = 0; times < 50; times++) {
      assertThat(multicast.late(now)).extracting(late -> late.peer).doesNotContain(a);
      now += PATIENCE_NANOS - 1;
      a.moved = now;
    }
    assertThat(multicast.late(now)).as("b reads nothing").extracting(late -> late.peer).containsExactly(b);
    assertThat(multicast.late(now + PATIENCE_NANOS)).extracting(late -> late.peer).containsExactly(a, b);
  }

  @Test
  void whatWasReadBeforeItWaitedDoesNotCount() {
    MulticastDatagram multicast = multicast(1, TAIL, a, b);
    a.room = false;
    a.moved = START - PATIENCE_NANOS / 2;
    assertThat(multicast.late(START + PATIENCE_NANOS / 2)).isEmpty();
    assertThat(multicast.late(START + PATIENCE_NANOS)).isEmpty();
    assertThat(multicast.late(START + PATIENCE_NANOS / 2 + PATIENCE_NANOS)).hasSize(1);
  }

  @Test
  void whoHasRoomIsNotLate() {
    MulticastDatagram first = multicast(1, TAIL, a, c);
    MulticastDatagram multicast = multicast(2, TAIL, a, b);
    assertThat(first.late(START)).isEmpty();
    assertThat(multicast.late(START)).isEmpty();
    assertThat(multicast.late(START + 10 * PATIENCE_NANOS)).as("it waits for what is before it").isEmpty();
  }

  // ---- crossing ----------------------------------------------------------------------------------------------------

  /// Of some frames, so that the first receiver gets the first of two first, and the second one the second.
  private static MulticastDatagram[] crossing(int[] tails, QueuedReceiver... receivers) {
    var all = new MulticastDatagram[receivers.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = new MulticastDatagram("" + i, receivers[i].frame(HEAD, i, tails[i]));
    }
    for (int i = 0; i < all.length; i++) {
      assertThat(all[i].join(receivers[(i + 1) % all.length].frame(HEAD, i, tails[i]))).isTrue();
    }
    return all;
  }

  @Test
  void ofTwoThatWaitForEachOtherTheShorterOneGivesWay() {
    MulticastDatagram[] two = crossing(new int[] {100, 1000}, a, b);
    assertThat(two[0].isReady() || two[1].isReady()).isFalse();
    assertThat(two[0].crossed()).isSameAs(two[0]);
    assertThat(two[1].crossed()).isSameAs(two[0]);
  }

  @Test
  void threeThatWaitForEachOtherAreFoundAsWell() {
    MulticastDatagram[] three = crossing(new int[] {1000, 100, 500}, a, b, c);
    for (MulticastDatagram one : three) {
      assertThat(one.crossed()).isNotNull();
    }
    assertThat(three[1].crossed()).isSameAs(three[1]);
  }

  @Test
  void whoWaitsForOneThatCanLeaveIsNotCrossed() {
    MulticastDatagram before = multicast(1, TAIL, a, b);
    MulticastDatagram multicast = multicast(2, TAIL, b, c);
    assertThat(before.crossed()).isNull();
    assertThat(multicast.crossed()).isNull();
  }
}
