package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.ManualMembership.OTHER;
import static org.tutti.fixture.ManualMembership.SELF;
import static org.tutti.fixture.ManualMembership.WINDOW;
import static org.tutti.fixture.ManualMembership.batch;
import static org.tutti.fixture.ManualMembership.bytes;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.GroupClosedException;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.engine.EventLoop.Inbox;
import org.tutti.fixture.LogRecords;
import org.tutti.membership.StateChecksum;
import org.tutti.pack.Batch;
import org.tutti.user.Request;

/// What an application does not take is spilled, counts as consumed, and is taken later as if it had not been.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OverflowTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int MAX = 1 << 20;
  private static final int LARGE = 8 << 10;

  private final SpillFiles files = new SpillFiles();
  private final Inbox inbox = new Inbox(() -> {});
  private final Membership group = member(files);
  private long delivered;

  private Membership member(Spill.@Nullable Files to) {
    MemberConfig config = MemberConfig.builder().windowBytes(WINDOW).spillBytesMax(MAX).build();
    var member = new Membership("bank", SELF, config, to == null ? new Inbox(() -> {}) : inbox, _ -> {}, to);
    member.configured(GroupConfig.builder().stateTransfer(true).build());
    return member;
  }

  private static void until(BooleanSupplier condition, String what) {
    Instant end = Instant.now().plus(SOON);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).as(what).isBefore(end);
      Thread.onSpinWait();
    }
  }

  private void deliver(int count, int length) {
    for (int i = 0; i < count; i++) {
      group.deliver(delivered, batch(delivered, content(delivered, length)), delivered);
      delivered++;
    }
  }

  private static byte[] content(long number, int length) {
    byte[] message = new byte[length];
    new SplittableRandom(number).nextBytes(message);
    return message;
  }

  private void untilAllIsConsumed() {
    until(() -> group.consumed() == delivered, "all is consumed");
  }

  private @Nullable Event take() throws InterruptedException {
    return group.receive(SOON);
  }

  private void takeAll(long from, int length) throws InterruptedException {
    for (long at = from; at < delivered; at++) {
      var delivery = (Event.Delivery) take();
      assertThat(delivery.position()).isEqualTo(at);
      assertThat(bytes(delivery.payload())).isEqualTo(content(at, length));
    }
  }

  @Test
  void whatIsNotTakenIsSpilledBeyondHalfOfTheWindowAndTakenInOrder() throws Exception {
    deliver(3, LARGE);
    assertThat(group.status().spilled()).isEqualTo(Status.Spilled.NOTHING);
    assertThat(files.files).isEmpty();
    deliver(1, LARGE);
    until(() -> group.status().spilled().messages() == 4, "all that waits is spilled");
    var asked = new ArrayList<Request>();
    until(
        () -> {
          inbox.drain(asked::add, Integer.MAX_VALUE);
          return !asked.isEmpty();
        },
        "the engine is to look");
    assertThat(asked).as("once, until it has looked").containsExactly(new Request.Consumed("bank"));
    untilAllIsConsumed();
    assertThat(group.taken()).isZero();
    deliver(40, LARGE); // five windows
    untilAllIsConsumed();
    Status.Spilled spilled = group.status().spilled();
    assertThat(spilled.messages()).isEqualTo(44);
    assertThat(spilled.bytes()).isEqualTo(files.length()).isBetween(44L * LARGE, 45L * LARGE);
    assertThat(group.metrics().spilled()).isEqualTo(spilled);
    assertThat(group.status().toString())
        .endsWith("; 44 messages that the application has not taken are spilled, in " + spilled.bytes() + " bytes");
    inbox.drain(asked::add, Integer.MAX_VALUE);
    group.consumed(); // the engine looks
    takeAll(0, LARGE);
    assertThat(group.taken()).isEqualTo(44);
    assertThat(group.receive(Duration.ZERO)).isNull();
    asked.clear();
    inbox.drain(asked::add, Integer.MAX_VALUE);
    assertThat(asked).as("a replay may wait for what is taken").contains(new Request.Consumed("bank"));
    assertThat(group.status().spilled()).isEqualTo(Status.Spilled.NOTHING);
    assertThat(files.open()).isEmpty();
    deliver(1, LARGE);
    takeAll(44, LARGE);
    assertThat(files.files).as("what is taken in time is in memory").hasSizeLessThan(7);
  }

  @Test
  void theRestOfABatchThatTheApplicationIsAtIsKeptAndItsBufferMayBeUsedAgain() throws Exception {
    Batch first = batch(0, new byte[] {1}, new byte[] {2}, new byte[] {3});
    group.deliver(0, first, 0);
    assertThat(take()).isInstanceOf(Event.Delivery.class);
    delivered = 1;
    deliver(5, LARGE);
    untilAllIsConsumed();
    assertThat(group.taken()).isZero();
    first.payload().put(0, new byte[first.payload().remaining()]); // used for another one
    for (int at = 1; at < 3; at++) {
      var delivery = (Event.Delivery) take();
      assertThat(delivery.position()).isEqualTo(at);
      assertThat(bytes(delivery.payload())).containsExactly(at + 1);
    }
    assertThat(group.taken()).isEqualTo(1);
  }

  /// A sender whose window is smaller than half of this member's waits for a batch that nobody takes.
  @Test
  void aBatchThatIsNotTakenForASecondIsSpilledHoweverSmall() throws Exception {
    deliver(1, 1);
    until(
        () -> {
          group.looked(List.of());
          return group.consumed() == 1;
        },
        "it is spilled");
    takeAll(0, 1);
  }

  @Test
  void aPlaceOfWhatWasDeliveredEarlyCountsEvenWhenNothingIsWritten() throws Exception {
    Batch early = batch(Batch.Kind.FIFO, 0, new byte[LARGE]);
    group.deliverEarly(early);
    group.deliver(0, batch(1, new byte[4 * LARGE]), 0);
    until(() -> group.consumed() == 1, "they are spilled");
    group.pass(1, early, 1);
    until(() -> group.consumed() == 2, "its place is passed");
    assertThat(((Event.Delivery) take()).payload().remaining()).isEqualTo(LARGE);
    assertThat(((Event.Delivery) take()).position()).isZero();
    assertThat(group.taken()).isEqualTo(2);
  }

  @Test
  void multicastsToSomeMembersAreHeldUpOnlyByWhatIsInMemory() throws Exception {
    for (int i = 0; i < 9; i++) {
      group.deliverSubset(batch(i, content(i, LARGE)));
    }
    until(group::takesSubsets, "they are spilled");
    for (int i = 0; i < 9; i++) {
      assertThat(bytes(((Event.Delivery) take()).payload())).isEqualTo(content(i, LARGE));
    }
    assertThat(group.takesSubsets()).isTrue();
  }

  @Test
  void beyondTheBoundItIsAsWithoutASpill() throws Exception {
    try (var log = new LogRecords("org.tutti.Group")) {
      deliver(140, LARGE);
      log.next(
          ".* the application does not keep up; what it does not take is spilled, at most 1048576 bytes in memory.*");
      log.next(".* no more is spilled: \\d+ messages that the application has not taken take up \\d+ bytes.*");
      long consumed = group.consumed();
      assertThat(consumed).isBetween(110L, 127L);
      assertThat(files.length()).isLessThanOrEqualTo(MAX);
      for (long at = 0; at < 20; at++) { // frees segments
        take();
      }
      until(() -> group.consumed() > consumed, "there is room again");
      takeAll(20, LARGE);
      log.next(".* the application has taken all that was spilled, \\d+ messages in .* s");
    }
  }

  @Test
  void aFullDiskLosesNothing() throws Exception {
    files.room = 5 * LARGE;
    try (var log = new LogRecords("org.tutti.Group")) {
      deliver(4, LARGE);
      untilAllIsConsumed();
      deliver(20, LARGE);
      log.next(".* cannot spill what the application does not take, so senders wait for it; .*: .*No space left.*");
      assertThat(group.consumed()).isBetween(4L, 5L);
      takeAll(0, LARGE);
      assertThat(group.consumed()).isEqualTo(24);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatCannotBeReadBackEndsTheMembership(boolean corrupt) throws Exception {
    deliver(10, LARGE);
    untilAllIsConsumed();
    group.install(new View(new ViewId(1, 1), List.of(SELF, OTHER), true, List.of()));
    if (corrupt) {
      files.files.getFirst().bytes[LARGE / 2]++;
    } else {
      files.readable = false;
    }
    deliver(1, 1);
    var requests = new ArrayList<Request.Leave>();
    Thread engine =
        Thread.startVirtualThread(() -> {
          while (requests.isEmpty()) {
            inbox.drain(
                each -> {
                  if (each instanceof Request.Leave leave) {
                    requests.add(leave);
                  }
                },
                Integer.MAX_VALUE);
            Thread.onSpinWait();
          }
          group.closed(requests.getFirst().end());
        });
    End end = ((Event.Closed) take()).end();
    engine.join();
    assertThat(end.cause()).isEqualTo(End.Cause.DROPPED);
    assertThat(end.words())
        .startsWith("what was spilled for the application, which had not taken it, cannot be read back: ")
        .endsWith(corrupt ? "a record does not have its checksum" : "Input/output error");
    assertThatThrownBy(group::receive).isInstanceOf(GroupClosedException.class).hasMessageContaining("cannot be read");
    assertThat(files.open()).isEmpty();
  }

  /// Also when it has ended for another reason before.
  @Test
  void aGapIsNeverHidden() throws Exception {
    deliver(10, LARGE);
    untilAllIsConsumed();
    group.closed(new End(End.Cause.LEFT, "left"));
    files.readable = false;
    assertThat(((Event.Closed) take()).end().cause()).isEqualTo(End.Cause.DROPPED);
  }

  @Test
  void whatIsSpilledCanBeTakenWhenTheMembershipHasEnded() throws Exception {
    deliver(30, LARGE);
    group.closed(new End(End.Cause.LEFT, "left")); // perhaps in the middle of it
    takeAll(0, LARGE);
    assertThat(take()).isEqualTo(new Event.Closed(new End(End.Cause.LEFT, "left")));
    assertThat(files.open()).isEmpty();
    assertThat(files.length()).isZero();
  }

  /// Everything that can come, in any order, to a member that spills and to one that does not.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void theOrderIsTheSameAsWithoutASpill(long seed) throws Exception {
    var random = new SplittableRandom(seed);
    Membership plain = member(null);
    List<Membership> both = List.of(group, plain);
    var waiting = new ArrayList<Batch>(); // delivered early
    var seen = new ArrayList<String>();
    var expected = new ArrayList<String>();
    long index = 0;
    long position = 0;
    for (int step = 0; step < 400; step++) {
      Batch.Kind kind = random.nextBoolean() ? Batch.Kind.TOTAL : Batch.Kind.FIFO;
      byte[][] messages =
          Stream.generate(() -> content(random.nextLong(), random.nextInt(3000)))
              .limit(random.nextInt(1, 4))
              .toArray(byte[][]::new);
      Batch batch = batch(kind, step, messages);
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> {
          deliver(both, index++, batch, position);
          position += batch.positions();
        }
        case 3 -> {
          Batch early = batch(Batch.Kind.CAUSAL, step, messages);
          both.forEach(each -> each.deliverEarly(early));
          waiting.add(early);
        }
        case 4 -> {
          if (!waiting.isEmpty()) {
            Batch early = waiting.removeFirst();
            long at = index++;
            long behind = position;
            both.forEach(each -> each.pass(at, early, behind));
          }
        }
        case 5 -> both.forEach(each -> each.deliverInBranch(batch));
        case 6 -> both.forEach(each -> each.deliverSubset(batch(Batch.Kind.TOTAL, batch.seq(), messages)));
        case 7 -> {
          var view = new View(new ViewId(step + 1, 1), List.of(SELF, OTHER), true, List.of());
          both.forEach(each -> each.install(view));
        }
        default -> offer(both, random, step, index);
      }
      for (int takes = random.nextInt(40) == 0 ? random.nextInt(60) : 0; takes > 0; takes--) {
        take(both, seen, expected);
      }
    }
    until(files::areThere, "something is spilled, now at the latest");
    both.forEach(each -> each.closed(new End(End.Cause.LEFT, "left")));
    while (!expected.contains("closed")) {
      take(both, seen, expected);
    }
    assertThat(files.files).isNotEmpty();
    assertThat(group.consumed()).isEqualTo(plain.consumed()).isEqualTo(group.taken());
    assertThat(group.consumedInBranches()).isEqualTo(plain.consumedInBranches());
    assertThat(group.metrics().delivered()).isEqualTo(plain.metrics().delivered());
  }

  private static void deliver(List<Membership> both, long index, Batch batch, long position) {
    both.forEach(each -> each.deliver(index, batch, position));
  }

  private static void offer(List<Membership> both, SplittableRandom random, int step, long index) {
    if (random.nextInt(5) == 0) {
      Consumer<Membership> offers =
          each -> {
            each.stateOffered(step, OTHER, index, step);
            each.stateChunk(step, ByteBuffer.allocate(0), new StateChecksum().sum());
          };
      both.forEach(offers);
    }
  }

  private static void take(List<Membership> both, List<String> seen, List<String> expected) throws Exception {
    Event event = both.getLast().receive(Duration.ZERO);
    if (event != null) {
      expected.add(text(event));
      seen.add(text(both.getFirst().receive(SOON)));
      assertThat(seen.getLast()).isEqualTo(expected.getLast());
    }
  }

  private static String text(@Nullable Event event) throws Exception {
    return switch (event) {
      case Event.StateOffer offer -> {
        offer.source().readAllBytes();
        yield "state " + offer.position();
      }
      case Event.Delivery it -> "%d %s %s %s".formatted(it.position(), it.sender(), it.service(), it.payload());
      case Event.Closed _ -> "closed";
      case null, default -> String.valueOf(event);
    };
  }
}
