package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.ManualMembership.OTHER;
import static org.tutti.fixture.ManualMembership.untilBlocked;
import static org.tutti.user.GroupUser.CHUNKS_ON_THE_WAY;
import static org.tutti.user.GroupUser.CHUNK_BYTES_MAX;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.End.Cause;
import org.tutti.Event;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.StateSink;
import org.tutti.StateSource;
import org.tutti.fixture.ManualMembership;
import org.tutti.membership.StateChecksum;
import org.tutti.user.Request;

/// The streams by which applications exchange state.
class StateStreamsTest {
  private static final long TRANSFER = 9;

  private final ManualMembership hand = new ManualMembership();
  private int arrived; // bytes of the state that is not whole yet
  private final AtomicReference<Throwable> thrown = new AtomicReference<>();

  private interface Work {
    void run() throws IOException;
  }

  private Thread start(Work work) {
    return Thread.startVirtualThread(() -> {
      try {
        work.run();
      } catch (IOException | RuntimeException e) {
        thrown.set(e);
      }
    });
  }

  private StateSink sink() throws InterruptedException {
    hand.group.stateRequested(TRANSFER, OTHER);
    var request = (Event.StateRequest) hand.group.receive();
    assertThat(request.newcomer()).isEqualTo(OTHER);
    return request.sink();
  }

  private StateSource source() throws InterruptedException {
    hand.group.stateOffered(TRANSFER, OTHER, 0, 0);
    return ((Event.StateOffer) hand.group.receive()).source();
  }

  private void arrive(int length, boolean last) {
    arrived += length;
    hand.group.stateChunk(TRANSFER, ByteBuffer.wrap(new byte[length]), last ? zeros(arrived) : null);
    arrived = last ? 0 : arrived;
  }

  private static StateChecksum.Sum zeros(int length) {
    return StateChecksum.of(ByteBuffer.allocate(length));
  }

  private List<Integer> chunks() {
    return hand.asked(Request.StateChunk.class).stream()
        .map(chunk -> chunk.end() != null ? -chunk.chunk().remaining() : chunk.chunk().remaining())
        .toList();
  }

  @Test
  void aSmallStateIsOneChunk() throws Exception {
    StateSink sink = sink();
    sink.write(1);
    sink.write(new byte[10]);
    sink.flush();
    assertThat(chunks()).isEmpty();
    sink.complete();
    assertThat(chunks()).containsExactly(-11);
  }

  @Test
  void afterCompleteAStateIsWholeWhateverFollows() throws Exception {
    StateSink sink = sink();
    sink.write(1);
    sink.complete();
    sink.complete();
    sink.flush();
    assertThatThrownBy(() -> sink.write(1))
        .isInstanceOf(IOException.class)
        .hasMessage("the state for n2 is complete; nothing can be added");
    sink.close();
    sink.close();
    assertThat(hand.asked())
        .containsExactly(
            new Request.StateChunk(
                "bank", TRANSFER, ByteBuffer.wrap(new byte[] {1}), StateChecksum.of(ByteBuffer.wrap(new byte[] {1}))));
  }

  @Test
  void anExceptionWhileWritingGivesTheStateUp() throws Exception {
    assertThatThrownBy(
            () -> {
              try (StateSink sink = sink()) {
                sink.write(new byte[2 * CHUNK_BYTES_MAX]);
                throw new SQLException("no such table");
              }
            })
        .hasMessage("no such table")
        .hasNoSuppressedExceptions();
    assertThat(hand.asked())
        .containsExactly(
            new Request.StateChunk("bank", TRANSFER, ByteBuffer.allocate(CHUNK_BYTES_MAX), null),
            new Request.StateFailed("bank", TRANSFER));
  }

  @Test
  void wrappersMayBeClosedAfterComplete() throws Exception {
    try (StateSink sink = sink();
        var out = new GZIPOutputStream(sink)) {
      out.write(new byte[1000]);
      out.finish();
      sink.complete();
    }
    byte[] bytes = ManualMembership.bytes(((Request.StateChunk) hand.asked().getFirst()).chunk());
    assertThat(new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes()).hasSize(1000);
  }

  @Test
  void onlyAnEmptyStateEndsWithAnEmptyChunk() throws Exception {
    StateSink full = sink();
    full.write(new byte[2 * CHUNK_BYTES_MAX]);
    full.complete();
    assertThat(chunks()).containsExactly(CHUNK_BYTES_MAX, -CHUNK_BYTES_MAX);
    sink().complete();
    assertThat(hand.asked(Request.StateChunk.class))
        .containsExactly(new Request.StateChunk("bank", TRANSFER, ByteBuffer.allocate(0), zeros(0)));
  }

  @Test
  void writingWaitsForCredits() throws Exception {
    StateSink sink = sink();
    Thread writer =
        start(() -> {
          sink.write(new byte[(CHUNKS_ON_THE_WAY + 2) * CHUNK_BYTES_MAX]);
          sink.complete();
        });
    untilBlocked(writer);
    assertThat(chunks()).hasSize(CHUNKS_ON_THE_WAY);
    hand.group.stateWanted(TRANSFER);
    hand.group.stateWanted(TRANSFER);
    writer.join();
    assertThat(chunks()).containsExactly(CHUNK_BYTES_MAX, -CHUNK_BYTES_MAX);
    assertThat(thrown.get()).isNull();
  }

  @Test
  void writingFailsWhenTheNewcomerHasGone() throws Exception {
    StateSink sink = sink();
    Thread writer = start(() -> sink.write(new byte[100 * CHUNK_BYTES_MAX]));
    untilBlocked(writer);
    hand.group.stateCancelled(TRANSFER);
    writer.join();
    assertThat(thrown.get()).isInstanceOf(IOException.class).hasMessage("the state for n2 was given up: it has gone");
    assertThatThrownBy(sink::complete).isInstanceOf(IOException.class);
    sink.close();
    assertThat(hand.asked(Request.StateFailed.class)).isEmpty();
  }

  @Test
  void closingAnIncompleteStateGivesItUp() throws Exception {
    StateSink sink = sink();
    sink.write(new byte[10]);
    sink.close();
    sink.close();
    String why = "the state for n2 was given up: its sink was closed before it was complete";
    assertThatThrownBy(() -> sink.write(1)).isInstanceOf(IOException.class).hasMessage(why);
    assertThatThrownBy(sink::complete).isInstanceOf(IOException.class).hasMessage(why);
    assertThat(hand.asked()).containsExactly(new Request.StateFailed("bank", TRANSFER));
  }

  @Test
  void closingDoesNotWaitForCreditsAndEndsAWriterThatDoes() throws Exception {
    StateSink sink = sink();
    Thread writer = start(() -> sink.write(new byte[100 * CHUNK_BYTES_MAX]));
    untilBlocked(writer);
    sink.close();
    writer.join();
    assertThat(thrown.get())
        .isInstanceOf(IOException.class)
        .hasMessage("the state for n2 was given up: its sink was closed before it was complete");
    assertThat(hand.asked(Request.StateFailed.class)).hasSize(1);
  }

  @Test
  void anInterruptedWriterGivesUp() throws Exception {
    StateSink sink = sink();
    Thread writer = start(() -> sink.write(new byte[100 * CHUNK_BYTES_MAX]));
    untilBlocked(writer);
    writer.interrupt();
    writer.join();
    assertThat(thrown.get()).isInstanceOf(InterruptedIOException.class);
    assertThat(hand.asked(Request.StateFailed.class)).hasSize(1);
  }

  @Test
  void theEndOfTheMembershipBreaksBothDirections() throws Exception {
    StateSink sink = sink();
    InputStream source = source();
    Thread reader = start(source::read);
    untilBlocked(reader);
    hand.group.closed(new End(End.Cause.LEFT, "node n1 was closed"));
    reader.join();
    assertThat(thrown.get()).hasMessage("the state from n2 is void: node n1 was closed");
    assertThatThrownBy(sink::complete).hasMessage("the state for n2 was given up: node n1 was closed");
  }

  @Test
  void readsToTheEndAndReportsEachChunk() throws Exception {
    InputStream source = source();
    var read = new AtomicReference<Integer>();
    Thread reader = start(() -> read.set(source.readAllBytes().length));
    untilBlocked(reader);
    arrive(CHUNK_BYTES_MAX, false);
    arrive(5, true);
    reader.join();
    assertThat(read.get()).isEqualTo(CHUNK_BYTES_MAX + 5);
    assertThat(source.read()).isEqualTo(-1);
    var taken = new Request.StateTaken("bank", TRANSFER);
    assertThat(hand.asked()).containsExactly(known(), taken, taken);
  }

  /// Who makes the state durable says when that is done.
  @Test
  void theLastChunkOfADurableApplicationIsTakenWhenItSaysSo() throws Exception {
    ManualMembership durable = durable();
    StateSource source = offered(durable);
    assertThatThrownBy(source::complete).hasMessage("a part of the state from n2 was not read");
    assertThat(source.readAllBytes()).hasSize(3);
    assertThat(durable.asked(Request.StateTaken.class)).hasSize(1);
    assertThatThrownBy(durable.group::receive)
        .hasMessageContaining("must be read to its end and completed, or closed,");
    source.complete();
    assertThat(durable.asked(Request.StateTaken.class)).hasSize(1);
    source.complete();
    source.close();
    assertThat(durable.group.receive(Duration.ZERO)).isNull();
    assertThat(durable.asked()).isEmpty();
    assertThatThrownBy(source::complete).isInstanceOf(IOException.class);
  }

  /// As when its disk is full: a `try` closes the state then.
  @Test
  void aDurableApplicationThatClosesWithoutSayingSoLeaves() throws Exception {
    ManualMembership durable = durable();
    try (StateSource source = offered(durable)) {
      assertThat(source.readAllBytes()).hasSize(3);
    }
    List<Request> asked = durable.asked();
    assertThat(asked.stream().filter(Request.StateTaken.class::isInstance)).hasSize(1);
    String words = "its application closed the state without completing it";
    assertThat(asked).endsWith(new Request.Leave("bank", new End(Cause.LEFT, words)));
  }

  private static ManualMembership durable() {
    var config = GroupConfig.builder().stateTransfer(true).durability(Durability.VIEWS).build();
    return new ManualMembership(config, MemberConfig.builder().position(0).build());
  }

  private static StateSource offered(ManualMembership to) throws InterruptedException {
    to.group.stateOffered(TRANSFER, OTHER, 0, 0);
    StateSource source = ((Event.StateOffer) to.group.receive()).source();
    to.group.stateChunk(TRANSFER, ByteBuffer.allocate(2), null);
    to.group.stateChunk(TRANSFER, ByteBuffer.allocate(1), zeros(3));
    return source;
  }

  /// Nobody has to say so who makes nothing durable.
  @Test
  void completingIsAllowedToAll() throws Exception {
    StateSource source = source();
    arrive(3, true);
    assertThat(source.readAllBytes()).hasSize(3);
    source.complete();
    assertThat(hand.asked(Request.StateTaken.class)).hasSize(1);
    assertThat(hand.group.receive(Duration.ZERO)).isNull();
  }

  /// Who writes pieces as long as a chunk has nothing left for the last one.
  @Test
  void anEmptyLastChunkNeedsNoReading() throws Exception {
    StateSource source = source();
    arrive(2, false);
    assertThat(source.readNBytes(2)).hasSize(2);
    arrive(0, true);
    assertThat(hand.asked(Request.StateTaken.class)).hasSize(2);
    source.close();
    assertThat(hand.asked(Request.StateTaken.class)).isEmpty();
    assertThat(hand.asked(Request.Leave.class)).isEmpty();
  }

  @Test
  void chunksThatNobodyReadsAreNotReported() throws Exception {
    InputStream source = source();
    arrive(3, false);
    arrive(4, false);
    assertThat(hand.asked()).isEmpty();
    assertThat(source.read()).isZero();
    assertThat(source.available()).isEqualTo(2);
    assertThat(hand.asked(Request.StateTaken.class)).hasSize(1);
  }

  /// What the engine has checked and the application reads is the same, or its reader is told and the member leaves.
  @Test
  void aStateThatIsDamagedInsideTheProcessIsAnErrorAtItsLastByte() throws Exception {
    StateSource source = source();
    byte[] there = {1, 2, 3};
    hand.group.stateChunk(TRANSFER, ByteBuffer.wrap(there), StateChecksum.of(ByteBuffer.wrap(there.clone())));
    there[1] = 9;
    assertThat(source.readNBytes(2)).containsExactly(1, 9);
    assertThatThrownBy(source::read)
        .isInstanceOf(IOException.class)
        .hasMessage("the state from n2 is void: it was damaged after it had arrived");
    assertThatThrownBy(source::read).isInstanceOf(IOException.class);
    assertThat(hand.asked(Request.Leave.class)).hasSize(1);
  }

  @Test
  void readingFailsWhenTheDonorHasGone() throws Exception {
    InputStream source = source();
    arrive(3, false);
    hand.group.stateInterrupted(TRANSFER);
    assertThatThrownBy(source::read)
        .isInstanceOf(IOException.class)
        .hasMessage("the state from n2 is void: its donor has gone, or it arrived damaged");
    hand.group.stateOffered(TRANSFER + 1, OTHER, 0, 0);
    assertThat(hand.group.receive()).isInstanceOf(Event.StateOffer.class);
  }

  private static Request known(int... token) {
    byte[] bytes = new byte[token.length];
    for (int i = 0; i < token.length; i++) {
      bytes[i] = (byte) token[i];
    }
    return new Request.StateKnown("bank", TRANSFER, ByteBuffer.wrap(bytes));
  }

  @Test
  void closingBeforeTheEndIsLeaving() throws Exception {
    for (boolean last : new boolean[] {false, true}) {
      var each = new ManualMembership();
      each.group.stateOffered(TRANSFER, OTHER, 0, 0);
      StateSource source = ((Event.StateOffer) each.group.receive()).source();
      each.group.stateChunk(TRANSFER, ByteBuffer.allocate(3), last ? zeros(3) : null);
      assertThat(source.read()).isZero();
      each.asked();
      source.close();
      source.close();
      assertThat(each.asked())
          .containsExactly(
              new Request.Leave("bank", new End(Cause.LEFT, "its application closed the state before its end")));
      assertThatThrownBy(source::read).hasMessage("the state's source was closed");
    }
  }

  @Test
  void closingAtTheEndIsNothing() throws Exception {
    StateSource source = source();
    arrive(3, true);
    assertThat(source.readNBytes(3)).hasSize(3);
    source.close();
    StateSource empty = source();
    arrive(0, true);
    assertThat(empty.read()).isEqualTo(-1);
    empty.close();
    StateSource broken = source();
    arrive(3, false);
    hand.group.stateInterrupted(TRANSFER);
    broken.close();
    assertThat(hand.asked(Request.Leave.class)).isEmpty();
  }

  @Test
  void closingEndsAReaderThatWaits() throws Exception {
    StateSource source = source();
    Thread reader = start(source::read);
    untilBlocked(reader);
    source.close();
    reader.join();
    assertThat(thrown.get()).hasMessage("the state's source was closed");
  }

  @Test
  void whatIsThereIsSaidOnceAndBeforeReading() throws Exception {
    StateSource source = source();
    byte[] token = {1, 2};
    source.resume(token);
    token[0] = 9;
    assertThat(hand.asked()).containsExactly(known(1, 2));
    assertThatThrownBy(() -> source.resume(token)).isInstanceOf(IllegalStateException.class);
    arrive(1, true);
    assertThat(source.read()).isZero();
    assertThat(hand.asked()).containsExactly(new Request.StateTaken("bank", TRANSFER));
    StateSource other = source();
    arrive(1, true);
    assertThat(other.read()).isZero();
    assertThatThrownBy(() -> other.resume(token)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> other.resume(new byte[StateSource.TOKEN_BYTES_MAX + 1]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theDonorWaitsForTheToken() throws Exception {
    StateSink sink = sink();
    var token = new AtomicReference<byte[]>();
    Thread writer = start(() -> token.set(sink.token()));
    untilBlocked(writer);
    hand.group.stateKnown(TRANSFER, ByteBuffer.wrap(new byte[] {7}));
    writer.join();
    assertThat(token.get()).containsExactly(7);
    assertThat(sink.token()).containsExactly(7);
  }

  @Test
  void noTokenComesOfANewcomerThatHasGone() throws Exception {
    StateSink sink = sink();
    Thread writer = start(sink::token);
    untilBlocked(writer);
    hand.group.stateCancelled(TRANSFER);
    writer.join();
    assertThat(thrown.get()).isInstanceOf(IOException.class).hasMessage("the state for n2 was given up: it has gone");
  }

  @Test
  void amongMembersWithStateOneWithoutStaysOutOfIt() throws Exception {
    var stateless = new ManualMembership(false);
    stateless.group.stateRequested(TRANSFER, OTHER);
    assertThat(stateless.asked()).containsExactly(new Request.StateFailed("bank", TRANSFER));
    stateless.group.stateOffered(TRANSFER, OTHER, 5, 50);
    assertThat(stateless.asked())
        .containsExactly(
            new Request.Leave("bank", new End(Cause.REFUSED, "it was offered a state but has no state transfer")));
    assertThat(stateless.group.receive(Duration.ZERO)).isNull();
  }
}
