package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.ManualMembership.OTHER;
import static org.tutti.fixture.ManualMembership.SELF;
import static org.tutti.fixture.ManualMembership.WINDOW;
import static org.tutti.fixture.ManualMembership.batch;
import static org.tutti.fixture.ManualMembership.bytes;
import static org.tutti.fixture.ManualMembership.untilBlocked;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupClosedException;
import org.tutti.Service;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.ManualMembership;
import org.tutti.membership.StateChecksum;
import org.tutti.pack.Batch;
import org.tutti.user.Request;

/// What `receive` returns, and what the engine learns of it.
class EventQueueTest {
  private static final View VIEW = new View(new ViewId(1, 1), List.of(SELF, OTHER), true, List.of());
  private static final Duration LONG = Duration.ofMinutes(1);

  private final ManualMembership hand = new ManualMembership();

  private Event.Delivery delivery() throws InterruptedException {
    return (Event.Delivery) hand.group.receive(Duration.ZERO);
  }

  @Test
  void splitsBatchesIntoMessagesWithPositions() throws Exception {
    hand.group.deliver(0, batch(0, new byte[] {1}, new byte[0], new byte[] {2, 3}), 10);
    Event.Delivery first = delivery();
    assertThat(first.sender()).isEqualTo(OTHER);
    assertThat(first.position()).isEqualTo(10);
    assertThat(bytes(first.payload())).containsExactly(1);
    assertThat(delivery().payload().remaining()).isZero();
    Event.Delivery third = delivery();
    assertThat(third.position()).isEqualTo(12);
    assertThat(bytes(third.payload())).containsExactly(2, 3);
    assertThat(hand.group.receive(Duration.ZERO)).isNull();
  }

  @Test
  void aBatchWithoutAPlaceHasNoPositionsAndCountsAsConsumedAtItsPlace() throws Exception {
    Batch early = batch(Batch.Kind.CAUSAL, 0, new byte[1], new byte[1]);
    hand.group.deliverEarly(early);
    hand.group.deliver(0, batch(1, new byte[1]), 0);
    hand.group.pass(1, early, 1);
    hand.group.deliver(2, batch(Batch.Kind.FIFO, 2, new byte[1]), 1);
    for (Service service : List.of(Service.CAUSAL, Service.CAUSAL, Service.TOTAL)) {
      assertThat(hand.group.consumed()).isZero();
      Event.Delivery delivery = delivery();
      assertThat(delivery.service()).isEqualTo(service);
      assertThat(delivery.position()).isEqualTo(service == Service.TOTAL ? 0 : -1);
    }
    assertThat(hand.group.consumed()).as("with the place behind it").isEqualTo(2);
    assertThat(delivery().position()).isEqualTo(-1);
    assertThat(hand.group.consumed()).isEqualTo(3);
  }

  /// It may wait for the window instead, which is full of what it has taken.
  @Test
  void aPlaceThatIsPassedWhenAllIsTakenCountsAlthoughNobodyAsksForMore() throws Exception {
    Batch early = batch(Batch.Kind.FIFO, 0, new byte[1], new byte[1]);
    hand.group.deliverEarly(early);
    delivery();
    hand.group.pass(0, early, 0);
    assertThat(hand.group.consumed()).as("half of it is taken").isZero();
    delivery();
    assertThat(hand.group.consumed()).isEqualTo(1);
    assertThat(hand.asked()).containsExactly(new Request.Consumed("bank"));
    Batch next = batch(Batch.Kind.FIFO, 1, new byte[1]);
    hand.group.deliverEarly(next);
    delivery();
    assertThat(hand.group.consumed()).isEqualTo(1);
    hand.group.pass(1, next, 0);
    assertThat(hand.group.consumed()).isEqualTo(2);
  }

  @Test
  void batchesOfBranchesHaveNoPositionsAndAreCountedApart() throws Exception {
    hand.group.deliver(4, batch(0, new byte[1]), 9);
    hand.group.deliverInBranch(batch(0, new byte[1], new byte[1]));
    hand.group.deliverInBranch(batch(Batch.Kind.FIFO, 1, new byte[1]));
    assertThat(delivery().position()).isEqualTo(9);
    assertThat(hand.group.consumedInBranches()).isZero();
    for (int i = 0; i < 3; i++) {
      assertThat(delivery().position()).isEqualTo(-1);
    }
    assertThat(hand.group.consumedInBranches()).isEqualTo(2);
    assertThat(hand.group.consumed()).isEqualTo(1);
  }

  @Test
  void keepsTheOrderOfViewsAndDeliveries() throws Exception {
    hand.group.deliver(0, batch(0, new byte[1]), 0);
    hand.group.install(VIEW);
    hand.group.deliver(1, batch(1, new byte[2]), 1);
    assertThat(hand.group.view()).isEqualTo(VIEW);
    assertThat(delivery().position()).isZero();
    assertThat(hand.group.receive()).isEqualTo(new Event.ViewChange(VIEW));
    assertThat(delivery().position()).isEqualTo(1);
  }

  @Test
  void aBatchIsConsumedWithItsLastMessage() throws Exception {
    hand.group.deliver(7, batch(0, new byte[1], new byte[1]), 0);
    assertThat(hand.group.consumed()).isZero();
    delivery();
    assertThat(hand.group.consumed()).isZero();
    delivery();
    assertThat(hand.group.consumed()).isEqualTo(1);
  }

  @Test
  void reportsConsumptionOnceWhenTheQueueRunsEmpty() throws Exception {
    hand.group.deliver(0, batch(0, new byte[1]), 0);
    hand.group.deliver(1, batch(1, new byte[1]), 1);
    delivery();
    delivery();
    assertThat(hand.asked()).isEmpty();
    assertThat(hand.group.receive(Duration.ZERO)).isNull();
    assertThat(hand.group.receive(Duration.ZERO)).isNull();
    assertThat(hand.asked()).containsExactly(new Request.Consumed("bank"));
  }

  @Test
  void reportsConsumptionAfterAQuarterOfTheWindow() throws Exception {
    for (int i = 0; i < 5; i++) {
      hand.group.deliver(i, batch(i, new byte[WINDOW / 8]), i);
    }
    delivery();
    assertThat(hand.asked()).isEmpty();
    delivery();
    assertThat(hand.asked()).containsExactly(new Request.Consumed("bank"));
    assertThat(hand.group.consumed()).isEqualTo(2);
    delivery();
    delivery();
    assertThat(hand.asked()).containsExactly(new Request.Consumed("bank"));
  }

  @Test
  void aReportThatTheEngineHasNotSeenIsNotRepeated() throws Exception {
    for (int i = 0; i < 8; i++) {
      hand.group.deliver(i, batch(i, new byte[WINDOW / 4]), i);
      delivery();
    }
    assertThat(hand.asked()).containsExactly(new Request.Consumed("bank"));
  }

  @Test
  void waitsForTheNextEvent() throws Exception {
    var taken = new AtomicReference<Event>();
    Thread taker =
        Thread.startVirtualThread(() -> {
          try {
            taken.set(hand.group.receive());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    untilBlocked(taker);
    hand.group.install(VIEW);
    taker.join();
    assertThat(taken.get()).isEqualTo(new Event.ViewChange(VIEW));
  }

  @Test
  void waitsNoLongerThanTold() throws Exception {
    long start = System.nanoTime();
    assertThat(hand.group.receive(Duration.ofMillis(30))).isNull();
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(30_000_000);
  }

  @Test
  void waitingCanBeInterrupted() throws Exception {
    var thrown = new AtomicReference<Exception>();
    var takers = new Thread[2];
    for (int i = 0; i < takers.length; i++) {
      takers[i] =
          Thread.startVirtualThread(() -> {
            try {
              hand.group.receive(LONG);
            } catch (InterruptedException e) {
              thrown.set(e);
            }
          });
    }
    for (Thread taker : takers) {
      untilBlocked(taker);
    }
    for (Thread taker : takers) {
      taker.interrupt();
      taker.join();
      assertThat(thrown.getAndSet(null)).isInstanceOf(InterruptedException.class);
    }
  }

  @Test
  void nothingFollowsTheEnd() throws Exception {
    hand.group.deliver(0, batch(0, new byte[1]), 0);
    hand.group.closed(new End(End.Cause.LEFT, "left"));
    delivery();
    assertThat(hand.group.receive()).isEqualTo(new Event.Closed(new End(End.Cause.LEFT, "left")));
    assertThatThrownBy(() -> hand.group.receive())
        .isInstanceOf(GroupClosedException.class)
        .hasMessage("n1 is no longer a member of group \"bank\": left");
    hand.group.closed(new End(End.Cause.LEFT, "again"));
    assertThat(hand.ended).hasSize(1);
  }

  @Test
  void stateIsReadBeforeWhatFollows() throws Exception {
    hand.group.stateOffered(3, OTHER, 5, 50);
    ByteBuffer state = ByteBuffer.wrap(new byte[] {1, 2});
    hand.group.stateChunk(3, state, StateChecksum.of(state));
    hand.group.deliver(5, batch(0, new byte[1]), 50);
    var offer = (Event.StateOffer) hand.group.receive();
    assertThat(offer.position()).isEqualTo(50);
    assertThatThrownBy(() -> hand.group.receive())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "the state offered to group \"bank\" must be read to its end, or closed, before the next event is taken");
    offer.source().skipNBytes(2);
    assertThat(delivery().position()).isEqualTo(50);
  }
}
