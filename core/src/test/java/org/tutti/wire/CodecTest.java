package org.tutti.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.RawPackets;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.Proposal;
import org.tutti.membership.SpokenVersions;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewMessage;
import org.tutti.order.Cut;
import org.tutti.order.FixedSequencer;
import org.tutti.order.Run;
import org.tutti.order.Stability;
import org.tutti.order.SubsetMessage;
import org.tutti.order.SubsetPlace;
import org.tutti.order.Tail;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.transport.Address;

/// What is written is read again, and nothing shorter is. The messages are those of a whole run of the [ScriptedGroup],
/// the same with values changed at random, and a few by hand that no member of that play has a reason to say.
class CodecTest {
  private static final MemberId A = new MemberId("a", new Address("here:1"), 1);
  private static final MemberId B = new MemberId("b\u00e9", new Address("[::1]:65535"), Long.MAX_VALUE);
  private static final MemberId C = new MemberId("c", new Address("here:3"), 7);
  private static final ViewId FIRST = new ViewId(0, 1);
  private static final ViewId LATER = new ViewId(1L << 40, Long.MAX_VALUE);
  private static final Lineage LINEAGE =
      new Lineage(
          FIRST,
          1_700_000_000_000_000L,
          GroupConfig.builder()
              .stateTransfer(true)
              .ordering(Ordering.SKEEN)
              .domain("opera")
              .electorate("a", "b")
              .partitions(Partitions.CONTINUE)
              .build());
  private static final CausalPast PAST =
      new CausalPast(1L << 33, List.of(new CausalPast.Lane(0, 1), new CausalPast.Lane(300, 1L << 55)));
  private static final Batch BATCH =
      new Batch(B, 1L << 50, Batch.Kind.CAUSAL, 5, PAST, 3, ByteBuffer.wrap(new byte[] {1, 7, 0, 2, 8, 9}));
  private static final int HEAD = 9; // channel and group
  private static final int LIES = 20;

  private static <M> byte[] written(Codec<M> codec, M message) {
    var out = new WireWriter();
    codec.write(message, out);
    out.raw(codec.tail(message));
    return RawPackets.bytes(out);
  }

  private static <M> M read(Codec<M> codec, byte[] bytes, int length) throws Malformed {
    return codec.read(new WireReader(ByteBuffer.wrap(bytes, 0, length)));
  }

  private static <M> void isReadAsWritten(Codec<M> codec, M message) {
    try {
      byte[] bytes = written(codec, message);
      assertThat(read(codec, bytes, bytes.length)).isEqualTo(message);
    } catch (Malformed e) {
      throw new AssertionError("not read: " + message, e);
    }
  }

  private static <M> void isNotReadWhenShorter(Codec<M> codec, byte[] bytes) {
    for (int length = 0; length < bytes.length; length++) {
      int shorter = length;
      assertThatExceptionOfType(Malformed.class).isThrownBy(() -> read(codec, bytes, shorter));
    }
  }

  /// The protocols of a group by their channels, but for batches.
  private record Channel<M>(int number, boolean inView, Codec<M> codec) {
    /// Takes a message out of its frame and hands it to a test.
    void visit(byte[] framed, Visit visit) throws Malformed {
      var in = new WireReader(ByteBuffer.wrap(framed, HEAD, framed.length - HEAD));
      if (inView) {
        in.viewId();
      }
      ByteBuffer rest = in.rest();
      byte[] bytes = new byte[rest.remaining()];
      rest.get(bytes);
      visit.message(codec, bytes);
    }
  }

  @FunctionalInterface
  private interface Visit {
    <M> void message(Codec<M> codec, byte[] bytes) throws Malformed;
  }

  private static final List<Channel<?>> CHANNELS =
      List.of(
          new Channel<>(2, true, RawPackets.inFirstEpoch(FixedSequencer.CODEC)),
          new Channel<>(3, true, Stability.CODEC),
          new Channel<>(4, false, StateTransfer.CODEC),
          new Channel<>(5, false, ViewMessage.CODEC));

  private static void visit(List<byte[]> messages, Visit visit) throws Malformed {
    for (byte[] framed : messages) {
      for (Channel<?> channel : CHANNELS) {
        if (channel.number == framed[0]) {
          channel.visit(framed, visit);
        }
      }
    }
  }

  private static List<byte[]> changed(Corpus corpus) {
    var lies = new ValueMutation(new SplittableRandom(1), corpus.members, corpus.views, false);
    var changed = new ArrayList<byte[]>();
    for (byte[] message : corpus.messages()) {
      for (int i = 0; i < LIES; i++) {
        byte @Nullable [] lie = lies.about(message);
        if (lie != null) {
          changed.add(lie);
        }
      }
    }
    return changed;
  }

  private static <M> void isReadAgain(Codec<M> codec, byte[] bytes) throws Malformed {
    isReadAsWritten(codec, read(codec, bytes, bytes.length));
  }

  @Test
  void everythingThatMembersSayIsReadAsWritten() throws Malformed {
    visit(new Corpus(false).messages(), CodecTest::isReadAgain);
  }

  @Test
  void whateverIsReadIsReadAgainWhenWritten() throws Malformed {
    var refused = new TreeSet<String>();
    int[] read = new int[1];
    visit(
        changed(new Corpus(false)),
        new Visit() {
          @Override
          public <M> void message(Codec<M> codec, byte[] bytes) {
            try {
              isReadAgain(codec, bytes);
              read[0]++;
            } catch (Malformed e) {
              refused.add(e.reason());
            }
          }
        });
    assertThat(read[0]).isGreaterThan(1000);
    assertThat(refused).isNotEmpty();
  }

  @Test
  void aMessageThatIsCutOffIsNotRead() throws Malformed {
    visit(
        new Corpus(false).messages(),
        new Visit() {
          @Override
          public <M> void message(Codec<M> codec, byte[] bytes) throws Malformed {
            M message = read(codec, bytes, bytes.length);
            if (!(message instanceof StateTransfer.Message.Chunk)) { // a chunk is as long as the message
              isNotReadWhenShorter(codec, bytes);
            }
          }
        });
  }

  @Test
  void whatIsRarelySaidIsReadAsWritten() {
    List<ViewMessage> rare =
        List.of(
            new ViewMessage.Refused(FIRST, LATER),
            new ViewMessage.Fetch(LATER, Short.MAX_VALUE, 0, (1L << 56) - 1),
            new ViewMessage.Supply(LATER, 1, BATCH),
            new ViewMessage.Report(List.of(A, B)),
            new ViewMessage.Ask(true),
            new ViewMessage.Found(B),
            new ViewMessage.Doubted(List.of(new ViewMessage.Sign(A, 0, 0), new ViewMessage.Sign(B, 7, 1_000_000_000))),
            new ViewMessage.Refuted(List.of(new ViewMessage.Sign(B, (1L << 56) - 1, (1L << 56) - 1))),
            new ViewMessage.Overruled(LINEAGE, B),
            new ViewMessage.NameInUse(B, LATER),
            new ViewMessage.NameInUse(A, null),
            new ViewMessage.MayNotVote(LATER),
            new ViewMessage.MayNotVote(null),
            new ViewMessage.TooSlow(1L << 30),
            new ViewMessage.Behind(30_000_000_000L));
    for (ViewMessage message : rare) {
      isReadAsWritten(ViewMessage.CODEC, message);
      if (!(message instanceof ViewMessage.Supply)) {
        isNotReadWhenShorter(ViewMessage.CODEC, written(ViewMessage.CODEC, message));
      }
    }
  }

  @Test
  void aMessageWithBytesLeftIsNotRead() throws Malformed {
    visit(
        new Corpus(false).messages(),
        new Visit() {
          @Override
          public <M> void message(Codec<M> codec, byte[] bytes) throws Malformed {
            var longer = new WireReader(ByteBuffer.wrap(Arrays.copyOf(bytes, bytes.length + 1)));
            if (!(read(codec, bytes, bytes.length) instanceof StateTransfer.Message.Chunk)) {
              assertThatExceptionOfType(Malformed.class).isThrownBy(() -> codec.readAll(longer));
            }
          }
        });
  }

  private static Batch batch(@Nullable byte[] payload, int count) throws Malformed {
    var out = new WireWriter();
    out.count(BATCH.seq());
    out.u8(0);
    out.count(BATCH.stamp());
    out.count(count);
    out.raw(payload == null ? BATCH.payload() : ByteBuffer.wrap(payload));
    return Batch.copy(B, new WireReader(ByteBuffer.wrap(RawPackets.bytes(out))));
  }

  @Test
  void aBatchIsReadAsWritten() throws Malformed {
    assertThat(again(BATCH)).isEqualTo(BATCH);
    for (Batch.Kind kind : Batch.Kind.values()) {
      if (kind != Batch.Kind.SWITCH) {
        Batch batch = of(kind, CausalPast.NONE);
        assertThat(again(batch)).isEqualTo(batch);
      }
    }
    Batch total = of(Batch.Kind.TOTAL, new CausalPast(0, PAST.lanes()));
    assertThat(again(total)).isEqualTo(total);
  }

  private static Batch of(Batch.Kind kind, CausalPast past) {
    return new Batch(B, BATCH.seq(), kind, 5, past, 3, BATCH.payload());
  }

  private static Batch again(Batch batch) throws Malformed {
    var out = new WireWriter();
    batch.write(out);
    out.raw(batch.payload());
    return Batch.copy(B, new WireReader(ByteBuffer.wrap(RawPackets.bytes(out))));
  }

  @Test
  void aPastThatNoBatchCanHaveIsNotRead() {
    var lane = new CausalPast.Lane(1, 1);
    for (Batch batch :
        List.of(
            of(Batch.Kind.FIFO, PAST),
            of(Batch.Kind.UNORDERED, PAST),
            of(Batch.Kind.TOTAL, PAST), // what is totally ordered names no index
            of(Batch.Kind.CAUSAL, new CausalPast(0, List.of(lane, lane))),
            of(Batch.Kind.CAUSAL, new CausalPast(0, List.of(new CausalPast.Lane(0, 0)))))) {
      assertThatExceptionOfType(Malformed.class).isThrownBy(() -> again(batch));
    }
  }

  @Test
  void aBatchWithMoreOrFewerMessagesThanItSaysIsNotRead() {
    for (int count : new int[] {0, 1, 2, 4, Integer.MAX_VALUE}) {
      assertThatExceptionOfType(Malformed.class).isThrownBy(() -> batch(null, count));
    }
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> batch(new byte[] {5, 1}, 1));
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> batch(new byte[0], 1));
  }

  @Test
  void aListLongerThanTheInputCouldHoldIsNotEvenAllocated() {
    var out = new WireWriter();
    out.count(Integer.MAX_VALUE);
    out.raw(ByteBuffer.allocate(100));
    var in = new WireReader(ByteBuffer.wrap(RawPackets.bytes(out)));
    assertThatExceptionOfType(Malformed.class).isThrownBy(in::members).withMessage("count too large");
  }

  @Test
  void runsThatAreEmptyOrTooLongAreNotRead() {
    for (long length : new long[] {0, (1 << 20) + 1, Long.MAX_VALUE}) {
      var out = new WireWriter();
      out.count(5);
      out.count(1);
      out.count(0);
      out.count(0);
      out.count(length);
      byte[] bytes = RawPackets.bytes(out);
      assertThatExceptionOfType(Malformed.class).isThrownBy(() -> read(FixedSequencer.CODEC, bytes, bytes.length));
    }
  }

  private static void isNotRead(ViewMessage message) {
    byte[] bytes = written(ViewMessage.CODEC, message);
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> read(ViewMessage.CODEC, bytes, bytes.length));
  }

  @Test
  void aCountIsNotSoLargeThatSumsOverflow() throws Malformed {
    long most = (1L << 56) - 1;
    var out = new WireWriter();
    out.count(most);
    out.count(most + 1);
    var in = new WireReader(ByteBuffer.wrap(RawPackets.bytes(out)));
    assertThat(in.count()).isEqualTo(most);
    assertThatExceptionOfType(Malformed.class).isThrownBy(in::count).withMessage("count");
    isNotRead(new ViewMessage.Propose(new ViewId(Long.MAX_VALUE, 1)));
  }

  private static ViewMessage report(Tail tail) {
    View view = new View(LATER, List.of(A, B), true, List.of());
    return wedged(view, view, List.of(C), new Knowledge.History(LATER, tail), null);
  }

  private static ViewMessage wedged(
      View view,
      @Nullable View primary,
      List<MemberId> absentees,
      Knowledge.@Nullable History history,
      Knowledge.@Nullable History branch) {
    return new ViewMessage.Wedged(
        LATER,
        new Knowledge(
            view,
            LINEAGE,
            primary,
            absentees,
            history,
            branch,
            null,
            0,
            true,
            true,
            null,
            false,
            List.of(),
            SpokenVersions.OWN));
  }

  private static ViewMessage branch(boolean primary, ViewId of, int lanes) {
    View view = new View(LATER, List.of(A, B), primary, List.of());
    var lane = new Tail.Lane(0, 3, List.of(4L, 9L));
    var tail = new Tail(0, List.of(), Ordering.SEQUENCER, 0, Collections.nCopies(lanes, lane));
    return wedged(view, null, List.of(), null, new Knowledge.History(of, tail));
  }

  private static byte[] view(int voters, boolean primary) {
    var out = new WireWriter();
    out.viewId(LATER);
    out.members(List.of(A, B));
    out.count(voters);
    out.flag(primary);
    out.count(0);
    out.u8(0);
    return RawPackets.bytes(out);
  }

  @Test
  void aViewKeepsItsObserversAndHasAVoterWhenItIsPrimary() throws Malformed {
    View read = new WireReader(ByteBuffer.wrap(view(1, true))).view();
    assertThat(read).isEqualTo(new View(LATER, List.of(A, B), 1, true, List.of()));
    assertThat(read.observers()).containsExactly(B);
    assertThat(read.isObserver(A)).isFalse();
    assertThat(new WireReader(ByteBuffer.wrap(view(0, false))).view().observers()).containsExactly(A, B);
    for (byte[] wrong : List.of(view(0, true), view(3, true), view(3, false))) {
      assertThatExceptionOfType(Malformed.class).isThrownBy(new WireReader(ByteBuffer.wrap(wrong))::view);
    }
  }

  @Test
  void aReportOfABranchIsOfTheSendersViewWhichIsNotPrimary() {
    isReadAsWritten(ViewMessage.CODEC, branch(false, LATER, 2));
    isNotRead(branch(true, LATER, 2));
    isNotRead(branch(false, FIRST, 2));
    isNotRead(branch(false, LATER, 3));
  }

  @Test
  void aReportOfWhatNobodyCanHaveIsNotRead() {
    var lane = new Tail.Lane(0, 3, List.of(4L, 9L));
    List<Run> places = List.of(new Run(1, 0, 2));
    isReadAsWritten(ViewMessage.CODEC, report(new Tail(10, places, Ordering.SEQUENCER, 12, List.of(lane, lane))));
    isNotRead(report(new Tail(10, places, Ordering.SEQUENCER, 13, List.of(lane, lane))));
    isNotRead(report(new Tail(10, places, Ordering.SEQUENCER, 9, List.of(lane, lane))));
    isNotRead(report(new Tail(10, places, Ordering.SEQUENCER, 12, List.of(lane))));
    isNotRead(report(new Tail(10, List.of(), Ordering.SEQUENCER, 10, List.of(lane))));
    isNotRead(report(new Tail(10, places, Ordering.SEQUENCER, 12, List.of(lane, new Tail.Lane(4, 3, List.of())))));
    for (var other : List.of(new Tail.Lane(0, 1L << 55, List.of()), new Tail.Lane(2, 3, List.of(4L, 9L)))) {
      isNotRead(report(new Tail(10, places, Ordering.SEQUENCER, 12, List.of(lane, other))));
    }
  }

  private static ViewMessage accept(long indexFirst, @Nullable Lineage lineage, Cut cut) {
    View last = new View(FIRST, List.of(A, B), true, List.of());
    View next = new View(LATER, List.of(A), true, List.of(FIRST));
    return new ViewMessage.Accept(
        LATER,
        new Proposal(
            next, lineage, last, List.of(C), indexFirst, Ordering.SEQUENCER, 0, List.of(cut), List.of(), List.of()));
  }

  private static ViewMessage accept(int before, int after, boolean primary) {
    View last = new View(FIRST, List.of(A, B), 2, true, List.of(), before);
    View next = new View(LATER, List.of(A), 1, primary, List.of(FIRST), after);
    var cut = new Cut(FIRST, 10, List.of(), true, List.of(A, A), true);
    return new ViewMessage.Accept(
        LATER,
        new Proposal(next, LINEAGE, last, List.of(), 10, Ordering.SEQUENCER, 0, List.of(cut), List.of(), List.of()));
  }

  @Test
  void aProposalWhoseVersionFallsIsNotRead() {
    isReadAsWritten(ViewMessage.CODEC, accept(5, 6, true));
    isReadAsWritten(ViewMessage.CODEC, accept(5, 5, false));
    isNotRead(accept(6, 5, true));
    isNotRead(accept(6, 5, false));
    isNotRead(accept(5, 6, false));
  }

  @Test
  void aPrimaryViewThatDoesNotBeginWhereTheLastOneEndsIsNotRead() {
    List<Run> places = List.of(new Run(1, 0, 2));
    var cut = new Cut(FIRST, 10, places, true, List.of(A, A), true);
    isReadAsWritten(ViewMessage.CODEC, accept(12, LINEAGE, cut));
    isNotRead(accept(13, LINEAGE, cut));
    isNotRead(accept(12, null, cut));
    isNotRead(accept(12, LINEAGE, new Cut(FIRST, 10, places, false, List.of(A, A), true)));
    isNotRead(accept(12, LINEAGE, new Cut(FIRST, 10, places, true, List.of(A, A, A), true)));
    isNotRead(accept(12, LINEAGE, new Cut(LATER, 10, places, true, List.of(A, A), true)));
  }

  @Test
  void subsetsAreReadAsWritten() {
    var codec = new SubsetMessage.Encoding(A);
    var payload = ByteBuffer.wrap(new byte[] {2, 7, 8});
    var batch = new Batch(A, 3, Batch.Kind.TOTAL, 9, CausalPast.NONE, 1, payload);
    List<SubsetMessage> messages =
        List.of(
            new SubsetMessage.SubsetMulticast(List.of(0, 2), batch),
            new SubsetMessage.Proposed(3, 10),
            new SubsetMessage.Final(3, 0),
            new SubsetMessage.Held(1, 3),
            new SubsetMessage.Refused(3));
    for (SubsetMessage message : messages) {
      isReadAsWritten(codec, message);
      isNotReadWhenShorter(codec, written(codec, message));
    }
    var lane = new Tail.Lane(0, 0, List.of());
    var tail = new Tail(10, List.of(), Ordering.SKEEN, 10, List.of(lane, lane));
    var cut = new Cut(FIRST, 10, List.of(), true, List.of(A, A), true);
    var marks = List.of(new Tail.Subsets.Delivered(0, 4));
    for (long index : List.of(SubsetPlace.UNKNOWN, 12L)) {
      var place = new SubsetPlace(1, 3, List.of(0, 1), index, 5);
      isReadAsWritten(ViewMessage.CODEC, report(tail.with(new Tail.Subsets(List.of(place), marks))));
      isReadAsWritten(ViewMessage.CODEC, accept(10, LINEAGE, cut.with(List.of(place))));
    }
    for (List<Integer> ranks : List.of(List.<Integer>of(), List.of(2), List.of(1, 0), List.of(1, 1))) {
      var place = new SubsetPlace(1, 3, ranks, 12, 5);
      isNotRead(report(tail.with(new Tail.Subsets(List.of(place), marks))));
      isNotRead(accept(10, LINEAGE, cut.with(List.of(place))));
    }
  }

  @Test
  void aMemberIsNotReadWithoutNameAddressOrLife() {
    for (int missing = 0; missing < 3; missing++) {
      var out = new WireWriter();
      out.fixed(missing == 0 ? 0 : 5);
      out.text(missing == 1 ? "" : "name");
      out.text(missing == 2 ? "" : "here:1");
      var in = new WireReader(ByteBuffer.wrap(RawPackets.bytes(out)));
      assertThatExceptionOfType(Malformed.class).isThrownBy(in::member).withMessage("member");
    }
  }
}
