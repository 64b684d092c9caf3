package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.ManualMembership.WINDOW;
import static org.tutti.fixture.ManualMembership.untilBlocked;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.tutti.End;
import org.tutti.Group;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.LatencyHistogram;
import org.tutti.MemberConfig;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.fixture.ManualMembership;
import org.tutti.pack.MessageBlock;
import org.tutti.user.GroupUser;
import org.tutti.user.Request;

/// The budget of a member's multicasts and the futures of those on the way.
class WindowTest {
  private static final int OVERHEAD = GroupUser.MESSAGE_OVERHEAD;

  private final ManualMembership hand = new ManualMembership();
  private final ConcurrentLinkedQueue<Throwable> thrown = new ConcurrentLinkedQueue<>();

  private Thread sender(int length) {
    return Thread.startVirtualThread(() -> {
      try {
        hand.group.multicast(new byte[length]);
      } catch (InterruptedException | RuntimeException e) {
        thrown.add(e);
      }
    });
  }

  private List<Integer> sent() {
    return hand.multicasts().stream().map(message -> message.length).toList();
  }

  private boolean isRefused(byte[] message) {
    CompletableFuture<Outcome> outcome = hand.group.tryMulticast(message);
    return outcome.isDone()
        && outcome.resultNow() instanceof Outcome.Refused(Outcome.Reason reason, _)
        && reason == Outcome.Reason.WINDOW_FULL;
  }

  private void fill() throws InterruptedException {
    hand.group.multicast(new byte[WINDOW - OVERHEAD]);
    assertThat(sent()).containsExactly(WINDOW - OVERHEAD);
  }

  @Test
  void countsTheOverheadOfEmptyMessages() throws Exception {
    for (int i = 0; i < WINDOW / OVERHEAD; i++) {
      hand.group.multicast(new byte[0]);
    }
    assertThat(isRefused(new byte[0])).isTrue();
    hand.group.released(OVERHEAD);
    assertThat(isRefused(new byte[0])).isFalse();
    assertThat(isRefused(new byte[0])).isTrue();
  }

  @Test
  void blocksWhileTheWindowIsFullAndGoesOnWhenThereIsRoom() throws Exception {
    fill();
    Thread sender = sender(1);
    untilBlocked(sender);
    assertThat(sent()).isEmpty();
    hand.group.released(WINDOW);
    sender.join();
    assertThat(sent()).containsExactly(1);
    assertThat(thrown).isEmpty();
  }

  @Test
  void aMessageLargerThanTheWindowTakesAllOfIt() throws Exception {
    hand.group.multicast(new byte[1]);
    Thread sender = sender(10 * WINDOW);
    untilBlocked(sender);
    hand.group.released(1 + OVERHEAD);
    sender.join();
    assertThat(sent()).containsExactly(1, 10 * WINDOW);
    assertThat(isRefused(new byte[0])).isTrue();
    hand.group.released(10 * WINDOW + OVERHEAD);
    assertThat(isRefused(new byte[0])).isFalse();
  }

  @Test
  void nobodyPassesALargeMessageThatWaits() throws Exception {
    hand.group.multicast(new byte[1]);
    Thread large = sender(WINDOW);
    untilBlocked(large);
    Thread small = sender(2);
    untilBlocked(small);
    assertThat(isRefused(new byte[3])).isTrue();
    hand.group.released(1 + OVERHEAD);
    large.join();
    assertThat(sent()).containsExactly(1, WINDOW);
    hand.group.released(WINDOW + OVERHEAD);
    small.join();
    assertThat(sent()).containsExactly(2);
  }

  @Test
  void oneReleaseLetsAllInThatFit() throws Exception {
    fill();
    var senders = new ArrayList<Thread>();
    for (int i = 0; i < 100; i++) {
      senders.add(sender(i));
    }
    senders.forEach(ManualMembership::untilBlocked);
    hand.group.released(WINDOW);
    for (Thread sender : senders) {
      sender.join();
    }
    assertThat(sent()).hasSize(100);
  }

  @Test
  void anInterruptedCallerSendsNothingAndDoesNotHoldUpTheNext() throws Exception {
    fill();
    Thread first = sender(WINDOW);
    untilBlocked(first);
    Thread second = sender(2);
    untilBlocked(second);
    hand.group.released(18);
    first.interrupt();
    first.join();
    second.join();
    assertThat(sent()).containsExactly(2);
    assertThat(thrown).singleElement().isInstanceOf(InterruptedException.class);
  }

  @Test
  void completesTheOldestFuturesWithTheirPositions() throws Exception {
    var futures = new ArrayList<CompletableFuture<Outcome>>();
    for (int i = 0; i < 5; i++) {
      futures.add(hand.group.multicast(new byte[i]));
    }
    hand.group.decided(2, 40);
    assertThat(futures.get(0)).isCompletedWithValue(new Outcome.Ordered(40));
    assertThat(futures.get(1)).isCompletedWithValue(new Outcome.Ordered(41));
    assertThat(futures.get(2)).isNotDone();
    hand.group.decided(2, -1);
    hand.group.decided(1, 50);
    assertThat(futures.get(2)).isCompletedWithValue(new Outcome.Delivered());
    assertThat(futures.get(3)).isCompletedWithValue(new Outcome.Delivered());
    assertThat(futures.get(4)).isCompletedWithValue(new Outcome.Ordered(50));
  }

  @Test
  void anUndecidedMessageGetsASecondFutureAndStaysTheOldest() throws Exception {
    var futures = new ArrayList<CompletableFuture<Outcome>>();
    for (int i = 0; i < 3; i++) {
      futures.add(hand.group.multicast(new byte[i]));
    }
    hand.group.undecided(1);
    hand.group.undecided(2);
    CompletableFuture<Outcome> first = undecided(futures.get(0));
    CompletableFuture<Outcome> second = undecided(futures.get(1));
    assertThat(futures.get(2)).isNotDone();
    hand.group.decided(1, -1);
    hand.group.decided(2, 8);
    assertThat(first).isCompletedWithValue(new Outcome.Delivered());
    assertThat(second).isCompletedWithValue(new Outcome.Ordered(8));
    assertThat(futures.get(2)).isCompletedWithValue(new Outcome.Ordered(9));
  }

  @Test
  void ofMessagesThatGoTogetherTheOldestIsTimed() throws Exception {
    for (int i = 0; i < 3; i++) {
      hand.group.post(ByteBuffer.allocate(4));
    }
    assertThat(hand.multicasts()).hasSize(3);
    hand.group.post(ByteBuffer.allocate(4));
    hand.group.decided(2, 0);
    assertThat(hand.group.metrics().latency().count()).isEqualTo(1);
    hand.group.decided(2, 2);
    LatencyHistogram latency = hand.group.metrics().latency();
    assertThat(latency.count()).as("that of two blocks").isEqualTo(2);
    assertThat(latency.total()).isPositive();
  }

  @Test
  void whatAViewChangeLeftOpenIsNotTimed() throws Exception {
    hand.group.multicast(new byte[1]);
    assertThat(hand.multicasts()).hasSize(1);
    hand.group.undecided(1);
    hand.group.decided(1, 0);
    assertThat(hand.group.metrics().latency().count()).isZero();
    hand.group.multicast(new byte[1]);
    hand.group.decided(1, 1);
    assertThat(hand.group.metrics().latency().count()).isEqualTo(1);
  }

  @Test
  void theEndFailsWhatIsUndecided() throws Exception {
    CompletableFuture<Outcome> sent = hand.group.multicast(new byte[1]);
    hand.group.undecided(1);
    hand.group.closed(new End(End.Cause.LEFT, "node was closed"));
    assertThat(undecided(sent))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withRootCauseInstanceOf(GroupClosedException.class);
  }

  private static CompletableFuture<Outcome> undecided(CompletableFuture<Outcome> sent) {
    assertThat(sent).isCompleted();
    return ((Outcome.Undecided) sent.resultNow()).later();
  }

  @Test
  void copiesThePayload() throws Exception {
    byte[] payload = {1, 2, 3};
    hand.group.multicast(payload);
    payload[0] = 9;
    assertThat(hand.multicasts()).containsExactly(new byte[] {1, 2, 3});
  }

  private List<Integer> blocks() {
    return hand.asked(Request.Multicast.class).stream().map(request -> request.block().count()).toList();
  }

  @Test
  void messagesJoinTheLastBlockUntilTheEngineTakesIt() throws Exception {
    hand.group.multicast(new byte[] {1});
    hand.group.post(ByteBuffer.wrap(new byte[] {2}));
    assertThat(hand.group.tryPost(ByteBuffer.wrap(new byte[] {0, 3, 4}).position(1))).isTrue();
    assertThat(hand.wakeups).as("the engine was not waiting").hasValue(0);
    assertThat(hand.multicasts()).containsExactly(new byte[] {1}, new byte[] {2}, new byte[] {3, 4});
    hand.group.multicast(new byte[] {5});
    assertThat(hand.multicasts()).containsExactly(new byte[] {5});
  }

  @Test
  void aBlockEndsWhereAnotherServiceOrRequestComes() throws Exception {
    hand.group.multicast(new byte[1]);
    hand.group.multicast(new byte[1]);
    hand.group.multicast(new byte[1], SendOptions.fifo());
    hand.group.multicast(new byte[1]);
    hand.group.multicast(new byte[1], SendOptions.to(Set.of(ManualMembership.OTHER)));
    hand.group.multicast(new byte[1]);
    assertThat(blocks()).containsExactly(2, 1, 1, 1);
  }

  @Test
  void aBlockEndsWhereItIsFull() throws Exception {
    int most = MemberConfig.standard().batchMessagesMax();
    for (int i = 0; i < WINDOW / OVERHEAD; i++) {
      hand.group.tryPost(ByteBuffer.allocate(0));
    }
    assertThat(blocks()).isEqualTo(List.of(WINDOW / OVERHEAD)).allMatch(count -> count <= most);
    hand.group.released(WINDOW);
    hand.group.post(ByteBuffer.allocate(1));
    hand.group.post(ByteBuffer.allocate(WINDOW / 2));
    hand.group.tryPost(ByteBuffer.allocate(WINDOW / 2 - 100));
    assertThat(hand.multicasts().stream().map(message -> message.length))
        .containsExactly(1, WINDOW / 2, WINDOW / 2 - 100);
  }

  /// The engine bounds a block that it has left to grow: who fills it wakes the engine, who comes later begins anew.
  @Test
  void whoReachesTheEnginesBoundTellsItSo() throws Exception {
    hand.group.multicast(new byte[1]);
    MessageBlock block = hand.asked(Request.Multicast.class).getFirst().block();
    assertThat(block.bound(3, 1000)).isFalse();
    hand.group.multicast(new byte[1]);
    assertThat(hand.asked()).isEmpty();
    hand.group.multicast(new byte[1]);
    assertThat(hand.asked()).containsExactly(new Request.Packed("bank"));
    hand.group.multicast(new byte[1]);
    assertThat(blocks()).containsExactly(1);
    assertThat(block.count()).isEqualTo(3);
    assertThat(block.bound(3, 1000)).isTrue();
    assertThat(block.bound(4, 6)).as("three messages behind one byte each").isTrue();
    assertThat(block.bound(4, 7)).isFalse();
  }

  @Test
  void inADomainNoMessageJoinsAnEarlierOne() throws Exception {
    var alone = new ManualMembership(GroupConfig.builder().domain("d").build());
    alone.group.multicast(new byte[1]);
    alone.group.multicast(new byte[1]);
    assertThat(alone.asked(Request.Multicast.class)).hasSize(2);
  }

  @Test
  void aSenderThatDoesNotAskIsPassedOverWhenFatesAreTold() throws Exception {
    CompletableFuture<Outcome> first = hand.group.multicast(new byte[1]);
    for (int i = 0; i < 100; i++) {
      hand.group.post(ByteBuffer.allocate(1));
    }
    CompletableFuture<Outcome> last = hand.group.multicast(new byte[1]);
    hand.group.undecided(101);
    hand.group.decided(102, 7);
    assertThat(undecided(first)).isCompletedWithValue(new Outcome.Ordered(7));
    assertThat(last).isCompletedWithValue(new Outcome.Ordered(108));
  }

  @Test
  void theEndFailsOpenFuturesAndCallersThatWait() throws Exception {
    CompletableFuture<Outcome> open = hand.group.multicast(new byte[WINDOW]);
    Thread sender = sender(1);
    untilBlocked(sender);
    hand.group.closed(new End(End.Cause.LEFT, "expelled"));
    sender.join();
    assertThat(thrown)
        .singleElement()
        .isInstanceOfSatisfying(
            GroupClosedException.class,
            e -> assertThat(e).hasMessage("n1 is no longer a member of group \"bank\": expelled"));
    assertThatThrownBy(open::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("n1 is no longer a member of group \"bank\": expelled");
    assertThatThrownBy(() -> hand.group.multicast(new byte[0])).isInstanceOf(GroupClosedException.class);
    assertThatThrownBy(() -> hand.group.tryMulticast(new byte[0])).isInstanceOf(GroupClosedException.class);
    assertThat(hand.ended).containsExactly(hand.group);
  }

  @Test
  void leavingRefusesFurtherMulticastsButNotThoseBefore() throws Exception {
    CompletableFuture<Outcome> before = hand.group.multicast(new byte[1]);
    CompletableFuture<Void> left = hand.group.leave();
    assertThat(hand.group.leave()).isNotDone();
    assertThatThrownBy(() -> hand.group.multicast(new byte[1]))
        .isInstanceOf(GroupClosedException.class)
        .hasMessage("n1 is no longer a member of group \"bank\": it is leaving");
    assertThat(hand.asked()).hasSize(2).last().isEqualTo(new Request.Leave("bank", new End(End.Cause.LEFT, "left")));
    hand.group.decided(1, 7);
    hand.group.closed(new End(End.Cause.LEFT, "left"));
    assertThat(before).isCompletedWithValue(new Outcome.Ordered(7));
    assertThat(left).isCompleted();
    hand.group.close();
  }

  @Test
  void whatABranchDeliversIsDecidedBeforeWhatIsUndecided() throws Exception {
    CompletableFuture<Outcome> before = hand.group.multicast(new byte[1]);
    hand.group.undecided(1);
    CompletableFuture<Outcome> inBranch = hand.group.multicast(new byte[1]);
    CompletableFuture<Outcome> after = hand.group.multicast(new byte[1]);
    hand.group.decidedInBranch(1);
    assertThat(undecided(before)).isNotDone();
    assertThat(inBranch).isCompletedWithValue(new Outcome.Delivered());
    assertThat(after).isNotDone();
    hand.group.decided(1, 4);
    hand.group.decided(1, 5);
    assertThat(after).isCompletedWithValue(new Outcome.Ordered(5));
  }

  @Test
  void aMessageThatIsTooLongIsTheCallersMistake() {
    assertThatThrownBy(() -> hand.group.multicast(new byte[Group.MESSAGE_BYTES_MAX + 1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a message has at most 16777216 bytes, not 16777217");
  }

  @Test
  void aStoppedNodeTakesNothing() {
    hand.inbox.close();
    assertThatThrownBy(() -> hand.group.multicast(new byte[1]))
        .isInstanceOf(GroupClosedException.class)
        .hasMessage("n1 is no longer a member of group \"bank\": its node has stopped");
  }
}
