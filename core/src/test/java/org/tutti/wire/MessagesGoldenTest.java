package org.tutti.wire;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Partitions;
import org.tutti.PrimaryViews;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.consensus.ChandraToueg;
import org.tutti.dissemination.Transmission;
import org.tutti.domain.Frontier;
import org.tutti.fixture.Golden;
import org.tutti.fixture.RawPackets;
import org.tutti.membership.Forcing;
import org.tutti.membership.Hello;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Lineage;
import org.tutti.membership.Proposal;
import org.tutti.membership.SpokenVersions;
import org.tutti.membership.StateChecksum;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewMessage;
import org.tutti.order.ConsensusOrder;
import org.tutti.order.ConsensusOrder.LaneEnd;
import org.tutti.order.Cut;
import org.tutti.order.FixedSequencer;
import org.tutti.order.ReadIndex;
import org.tutti.order.Run;
import org.tutti.order.Skeen;
import org.tutti.order.Stability;
import org.tutti.order.SubsetMessage;
import org.tutti.order.SubsetPlace;
import org.tutti.order.Symmetric;
import org.tutti.order.Tail;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;
import org.tutti.pack.Payloads;
import org.tutti.transport.Address;

/// The bytes of what members of a group say to each other, by channel.
class MessagesGoldenTest {
  private static final MemberId A = new MemberId("a", new Address("here:1"), 1);
  private static final MemberId B = new MemberId("b\u00e9", new Address("[::1]:65535"), Long.MAX_VALUE);
  private static final MemberId C = new MemberId("c", new Address("here:3"), 7);
  private static final ViewId FIRST = new ViewId(1, 1);
  private static final ViewId LATER = new ViewId(300, 7);
  private static final ViewId BALLOT = new ViewId(1L << 40, Long.MAX_VALUE);
  private static final View LAST = new View(FIRST, List.of(A, B), 2, true, List.of(), 5);
  private static final View NEXT = new View(LATER, List.of(A, C, B), 2, true, List.of(FIRST, new ViewId(200, 9)), 6);
  private static final List<Run> PLACES = List.of(new Run(1, 0, 2), new Run(0, 300, 1));
  private static final CausalPast PAST =
      new CausalPast(1L << 33, List.of(new CausalPast.Lane(0, 1), new CausalPast.Lane(300, 1L << 55)));
  private static final Lineage LINEAGE =
      new Lineage(
          FIRST,
          1_700_000_000_000_000L,
          GroupConfig.builder()
              .stateTransfer(true)
              .domain("opera")
              .electorate("a", "b")
              .partitions(Partitions.CONTINUE)
              .build());

  private static ByteBuffer bytes(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length);
    for (int value : values) {
      bytes.put((byte) value);
    }
    return bytes.flip();
  }

  private static Batch batch(Batch.Kind kind, CausalPast past) {
    return kind == Batch.Kind.SWITCH
        ? Batch.toSwitch(B, 300, Ordering.SYMMETRIC)
        : new Batch(B, 300, kind, 1L << 50, past, 3, bytes(1, 7, 0, 2, 8, 9));
  }

  private static Golden golden(String name, String what) {
    return new Golden("core", name, what);
  }

  @Test
  void batches() {
    View view = new View(LATER, List.of(A, B), true, List.of());
    var format = Golden.Format.of(new Transmission.Encoding(view, B, Payloads.used()));
    Golden golden = golden("batch", "channel 1, `Transmission`: messages of the application on their way");
    for (Batch.Kind kind : Batch.Kind.values()) {
      golden.example(
          "all-to-all, " + kind,
          new Transmission(Transmission.Way.STAR, 1, false, false, batch(kind, CausalPast.NONE)),
          format);
    }
    for (Transmission.Way way : Transmission.Way.values()) {
      golden.example(
          way + ", first of its sender, apart, with a past",
          new Transmission(way, 1, true, true, batch(Batch.Kind.CAUSAL, PAST)),
          format);
    }
    golden
        .example(
            "total, with a past",
            new Transmission(
                Transmission.Way.STAR, 1, true, false, batch(Batch.Kind.TOTAL, new CausalPast(0, PAST.lanes()))),
            format)
        .covers(Batch.Kind.values())
        .covers(Transmission.Way.values())
        .check();
  }

  @Test
  void fixedSequencer() {
    golden("fixed-sequencer", "channel 2 behind the epoch, `FixedSequencer.Message`")
        .example("two runs", new FixedSequencer.Message.Ordered(1000, PLACES), Golden.Format.of(FixedSequencer.CODEC))
        .covers(FixedSequencer.Message.class)
        .check();
  }

  @Test
  void skeen() {
    var format = Golden.Format.of(Skeen.CODEC);
    var run = new Skeen.TimestampedRun(300, 2, 1L << 33);
    golden("skeen", "channel 2 behind the epoch, `Skeen.Message`")
        .example("proposed", new Skeen.Message.Proposed(run), format)
        .example("decided", new Skeen.Message.Decided(List.of(run, new Skeen.TimestampedRun(302, 1, 9))), format)
        .covers(Skeen.Message.class)
        .check();
  }

  @Test
  void consensus() {
    Golden.Format<ChandraToueg.Message<List<LaneEnd>>> format = Golden.Format.of(ConsensusOrder.CODEC);
    List<LaneEnd> one = List.of(new LaneEnd(0, 300));
    List<LaneEnd> two = List.of(new LaneEnd(1, 7), new LaneEnd(300, 1L << 40));
    golden("consensus", "channel 2 behind the epoch, `ChandraToueg.Message` of `ConsensusOrder.LaneEnd`")
        .example("estimate", new ChandraToueg.Message.Estimate<>(3, 4, List.of(one), 2, List.of(two, one)), format)
        .example("propose", new ChandraToueg.Message.Propose<>(3, 5, List.of(two), 4), format)
        .example("ack", new ChandraToueg.Message.Ack<>(3, 6, 5), format)
        .example("nack", new ChandraToueg.Message.Nack<>(4, 5), format)
        .example("decide", new ChandraToueg.Message.Decide<>(5, List.of(two, one)), format)
        .covers(ChandraToueg.Message.class)
        .check();
  }

  @Test
  void symmetric() {
    golden("symmetric", "channel 2 behind the epoch, `Symmetric.Message`")
        .example("alive", new Symmetric.Message.Alive(1L << 33, 300), Golden.Format.of(Symmetric.CODEC))
        .covers(Symmetric.Message.class)
        .check();
  }

  @Test
  void stability() {
    golden("stability", "channel 3, `Stability.Message`")
        .example("progress", new Stability.Message.Progress(1L << 33, 300), Golden.Format.of(Stability.CODEC))
        .covers(Stability.Message.class)
        .check();
  }

  @Test
  void stateTransfer() {
    var format = Golden.Format.of(StateTransfer.CODEC);
    var marks = new TreeMap<MemberId, Long>();
    marks.put(A, 300L);
    marks.put(B, 1L);
    var start = new StateTransfer.Start(1000, 1L << 33, marks);
    golden("state-transfer", "channel 4, `StateTransfer.Message`")
        .example("header", new StateTransfer.Message.Header(LATER, 9, start, true), format)
        .example("chunk", new StateTransfer.Message.Chunk(LATER, 9, null, bytes(1, 2, 3)), format)
        .example(
            "last chunk",
            new StateTransfer.Message.Chunk(LATER, 9, StateChecksum.of(bytes(1, 2, 3, 4)), bytes(4)),
            format)
        .example("taken", new StateTransfer.Message.Taken(LATER, 9), format)
        .example("known", new StateTransfer.Message.Known(LATER, 9, bytes(0xff, 0)), format)
        .example("cancelled", new StateTransfer.Message.Cancelled(LATER), format)
        .covers(StateTransfer.Message.class)
        .check();
  }

  private static Proposal proposal() {
    var subset = new SubsetPlace(1, 3, List.of(0, 1), 12, 5);
    var cut = new Cut(FIRST, 10, PLACES, true, List.of(A, B), true, List.of(subset));
    var transfer = new Proposal.Assignment(C, new Knowledge.Transfer(A, LATER), true);
    return new Proposal(
        NEXT, LINEAGE, LAST, List.of(C), 13, Ordering.SKEEN, 1L << 33, List.of(cut), List.of(transfer), List.of(B));
  }

  /// Of a view without a history.
  private static Proposal draft() {
    View view = new View(LATER, List.of(A), false, List.of());
    return new Proposal(view, null, null, List.of(), 0, Ordering.SEQUENCER, 0, List.of(), List.of(), List.of());
  }

  private static Knowledge knowledge() {
    var lanes = List.of(new Tail.Lane(0, 3, List.of(4L, 9L)), new Tail.Lane(7, 300, List.of()));
    var place = new SubsetPlace(1, 3, List.of(0, 1), SubsetPlace.UNKNOWN, 5);
    var subsets = new Tail.Subsets(List.of(place), List.of(new Tail.Subsets.Delivered(0, 4)));
    var tail = new Tail(10, PLACES, Ordering.SYMMETRIC, 12, lanes).with(subsets);
    var accepted = new Knowledge.Accepted(BALLOT, proposal());
    return new Knowledge(
        LAST,
        LINEAGE,
        LAST,
        List.of(C),
        new Knowledge.History(FIRST, tail),
        null,
        accepted,
        1L << 33,
        true,
        false,
        new Knowledge.Transfer(A, FIRST),
        true,
        List.of(C),
        new SpokenVersions(new Versions(4, 7), 6));
  }

  private static Knowledge ofABranch() {
    View view = new View(LATER, List.of(A), false, List.of(FIRST));
    var lanes = List.of(new Tail.Lane(0, 3, List.of()));
    var branch = new Knowledge.History(LATER, new Tail(0, List.of(), Ordering.SEQUENCER, 0, lanes));
    return new Knowledge(
        view, LINEAGE, null, List.of(), null, branch, null, 0, false, true, null, false, List.of(), SpokenVersions.OWN);
  }

  @Test
  void viewMessages() {
    var format = Golden.Format.of(ViewMessage.CODEC);
    Golden golden = golden("view-message", "channel 5, `ViewMessage`: view agreement, merging, leaving");
    golden
        .example("propose", new ViewMessage.Propose(BALLOT), format)
        .example("wedged", new ViewMessage.Wedged(BALLOT, knowledge()), format)
        .example("wedged, a branch", new ViewMessage.Wedged(BALLOT, ofABranch()), format)
        .example("refused", new ViewMessage.Refused(LATER, BALLOT), format)
        .example("agreed", new ViewMessage.Agreed(BALLOT, draft()), format)
        .example("accept", new ViewMessage.Accept(BALLOT, proposal()), format)
        .example("accepted", new ViewMessage.Accepted(BALLOT), format)
        .example("install", new ViewMessage.Install(LATER), format)
        .example("fetch", new ViewMessage.Fetch(LATER, Short.MAX_VALUE, 0, (1L << 56) - 1), format)
        .example("supply", new ViewMessage.Supply(LATER, 1, batch(Batch.Kind.CAUSAL, PAST)), format)
        .example("report", new ViewMessage.Report(List.of(A, B)), format)
        .example("ask", new ViewMessage.Ask(true), format)
        .example("found", new ViewMessage.Found(B), format)
        .example("meet", new ViewMessage.Meet(NEXT, LINEAGE, FIRST, List.of(C), Versions.OWN, true), format)
        .example("meet, of a stranger", new ViewMessage.Meet(LAST, null, null, List.of(), Versions.OWN, false), format)
        .example("doubted", new ViewMessage.Doubted(List.of(new ViewMessage.Sign(A, 0, 0), sign())), format)
        .example("refuted", new ViewMessage.Refuted(List.of(sign())), format)
        .example("name in use", new ViewMessage.NameInUse(B, LATER), format)
        .example("name in use, no primary view known", new ViewMessage.NameInUse(A, null), format)
        .example("other version", new ViewMessage.OtherVersion(6, LATER), format)
        .example("other version, no primary view known", new ViewMessage.OtherVersion(255, null), format)
        .example("may not vote", new ViewMessage.MayNotVote(LATER), format)
        .example("may not vote, no primary view known", new ViewMessage.MayNotVote(null), format)
        .example("too slow", new ViewMessage.TooSlow(1L << 30), format)
        .example("behind", new ViewMessage.Behind(30_000_000_000L), format)
        .example("overruled", new ViewMessage.Overruled(LINEAGE, B), format)
        .covers(ViewMessage.class)
        .check();
  }

  private static ViewMessage.Sign sign() {
    return new ViewMessage.Sign(B, 7, 1_000_000_000);
  }

  private static Golden.Format<Lineage> lineages() {
    var format = Golden.Format.of(ViewMessage.CODEC);
    return new Golden.Format<>() {
      @Override
      public byte[] write(Lineage lineage) throws Exception {
        return format.write(new ViewMessage.Overruled(lineage, A));
      }

      @Override
      public Lineage read(byte[] bytes) throws Exception {
        return ((ViewMessage.Overruled) format.read(bytes)).older();
      }
    };
  }

  private static Lineage lineage(GroupConfig.Builder group) {
    return new Lineage(LATER, 1_700_000_000_000_000L, group.build());
  }

  @Test
  void whatTheFounderDecided() {
    Golden golden = golden("lineage", "in messages of channel 5, here `ViewMessage.Overruled`: `Lineage`");
    golden.example("standard", lineage(GroupConfig.builder()), lineages());
    golden.example("all that does not go with durability", LINEAGE, lineages());
    for (Ordering ordering : Ordering.values()) {
      golden.example("ordering " + ordering, lineage(GroupConfig.builder().ordering(ordering)), lineages());
    }
    for (Guarantee guarantee : Guarantee.values()) {
      golden.example("guarantee " + guarantee, lineage(GroupConfig.builder().guarantee(guarantee)), lineages());
    }
    for (Durability durability : Durability.values()) {
      golden.example("durability " + durability, lineage(GroupConfig.builder().durability(durability)), lineages());
    }
    var forcing = new Forcing(B, new ViewId(301, 9), 1_700_000_000_000_001L, LATER, 1L << 33);
    golden.example("forced", lineage(GroupConfig.builder()).forced(forcing), lineages());
    for (PrimaryViews rule : PrimaryViews.values()) {
      GroupConfig.Builder group = GroupConfig.builder().primaryViews(rule);
      if (rule != PrimaryViews.DYNAMIC_LINEAR) {
        group.electorate("a", "b", "c");
      }
      golden.example("primary views " + rule, lineage(group), lineages());
    }
    for (Partitions partitions : Partitions.values()) {
      golden.example("partitions " + partitions, lineage(GroupConfig.builder().partitions(partitions)), lineages());
    }
    golden.check();
  }

  private static Golden.Format<Hello> hellos() {
    return new Golden.Format<>() {
      @Override
      public byte[] write(Hello hello) {
        var out = new WireWriter();
        hello.write(out);
        return RawPackets.bytes(out);
      }

      @Override
      public Hello read(byte[] bytes) throws Malformed {
        return Hello.read(new WireReader(ByteBuffer.wrap(bytes)));
      }
    };
  }

  private static Hello hello(Hello.Regard regard, @Nullable ViewId before) {
    return before == null ? Hello.within(LAST, regard) : new Hello(LATER, regard, before, List.of(5L, 1L << 63));
  }

  @Test
  void hello() {
    Golden golden = golden("hello", "channel 6, `Hello`, in a DATAGRAM");
    for (Hello.Regard regard : Hello.Regard.values()) {
      golden.example(regard.name(), hello(regard, regard == Hello.Regard.LEFT_BEHIND ? FIRST : null), hellos());
    }
    golden.covers(Hello.Regard.values()).check();
  }

  @Test
  void frontier() {
    golden("frontier", "channel 7, `Frontier.Message`: clocks in a domain")
        .example("said", new Frontier.Message.Said(1L << 33, 300, 7), Golden.Format.of(Frontier.CODEC))
        .covers(Frontier.Message.class)
        .check();
  }

  @Test
  void subsetMulticasts() {
    var format = Golden.Format.of(new SubsetMessage.Encoding(B));
    golden("subset", "channel 8, `SubsetMessage`")
        .example(
            "subset multicast",
            new SubsetMessage.SubsetMulticast(List.of(0, 300), batch(Batch.Kind.TOTAL, CausalPast.NONE)),
            format)
        .example("proposed", new SubsetMessage.Proposed(3, 300), format)
        .example("final", new SubsetMessage.Final(3, 301), format)
        .example("held", new SubsetMessage.Held(1, 3), format)
        .example("refused", new SubsetMessage.Refused(3), format)
        .covers(SubsetMessage.class)
        .check();
  }

  @Test
  void readIndex() {
    var format = Golden.Format.of(ReadIndex.CODEC);
    golden("read-index", "channel 10, `ReadIndex.Message`")
        .example("ask", new ReadIndex.Message.Ask(300), format)
        .example("held", new ReadIndex.Message.Held(300, 1L << 33), format)
        .covers(ReadIndex.Message.class)
        .check();
  }
}
