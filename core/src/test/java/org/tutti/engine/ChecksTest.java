package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.nonPrimary;
import static org.tutti.Members.primary;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.tutti.Durability;
import org.tutti.GroupConfig;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.dissemination.Transmission;
import org.tutti.domain.Domain;
import org.tutti.domain.DomainMember;
import org.tutti.durable.Journal;
import org.tutti.durable.Position;
import org.tutti.durable.Restart;
import org.tutti.history.Branch;
import org.tutti.history.Deliveries;
import org.tutti.membership.Knowledge;
import org.tutti.membership.MemberIdentity;
import org.tutti.membership.Proposal;
import org.tutti.membership.SpokenVersions;
import org.tutti.order.ConsensusOrder;
import org.tutti.order.ReadIndex;
import org.tutti.order.Run;
import org.tutti.order.Skeen;
import org.tutti.order.SubsetMulticasts;
import org.tutti.pack.Batch;
import org.tutti.pack.MessageBlock;
import org.tutti.pack.Packer;
import org.tutti.storage.Region;
import org.tutti.wire.Encoded;
import org.tutti.wire.Versions;

/// Each invariant is seen to be broken once: in a group at work something is changed that no code changes, and
/// [NodeEngine#check] says which one is broken.
class ChecksTest {
  private static final long FAR = 1L << 40;
  private static final String GROUP = "groups.0.";
  private static final String HISTORY = GROUP + "history.kept.current.";
  private static final String ORDER = HISTORY + "orders.current.order.";
  private static final String AGREEMENT = GROUP + "agreement.";
  private static final String LINK = "links.open.0.";
  private static final String PROPOSER = AGREEMENT + "proposer.";
  private static final Pattern CHECK = Pattern.compile("\n  +(public |private )?void check\\(");
  private static final Pattern WORDS = Pattern.compile("\"([^\"]+)\"\\);");

  /// They are broken in a test of their own.
  private static final List<String> ELSEWHERE =
      List.of(
          "the application's state ends within the log",
          "only what is written is committed",
          "what is summed up in a place is before it");

  private record Row(String words, GroupConfig group, boolean atOther, Consumer<Innards> change) {}

  private final List<Row> rows = new ArrayList<>();
  private GroupConfig group = GroupConfig.standard();

  private void row(String words, Consumer<Innards> change) {
    rows.add(new Row(words, group, false, change));
  }

  /// The same at the member that is not the senior one.
  private void other(String words, Consumer<Innards> change) {
    rows.add(new Row(words, group, true, change));
  }

  private List<Row> rows() {
    rows.clear();
    group = GroupConfig.standard();
    node();
    links();
    log();
    places();
    stability();
    reads();
    orders();
    history();
    deliveries();
    branch();
    agreement();
    chain();
    proposer();
    peerStates();
    transfer();
    group = GroupConfig.builder().ordering(Ordering.SKEEN).build();
    skeen();
    subsets();
    group = GroupConfig.builder().ordering(Ordering.SYMMETRIC).build();
    symmetric();
    group = GroupConfig.builder().ordering(Ordering.CONSENSUS).build();
    consensus();
    group = GroupConfig.builder().domain("d").build();
    domain();
    return rows;
  }

  @TestFactory
  Stream<DynamicTest> brokenInvariantsAreFound() {
    return rows().stream().map(row -> DynamicTest.dynamicTest(row.words, () -> isFound(row)));
  }

  private static void isFound(Row row) {
    var duet = new Duet(row.group);
    NodeEngine node = row.atOther ? duet.b : duet.a;
    node.check();
    assertThatThrownBy(
            () -> {
              row.change.accept(new Innards(node));
              node.check();
            })
        .isInstanceOf(Invariant.Broken.class)
        .hasMessage(row.words);
  }

  /// Whoever adds an invariant adds a line here, or says why there is none.
  @Test
  void everyInvariantIsAmongThem() throws IOException {
    Set<String> missing = new LinkedHashSet<>();
    try (Stream<Path> sources = Files.walk(Path.of("../core/src/main/java/org/tutti"))) {
      for (Path source : sources.filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
        String text = Files.readString(source);
        Matcher checks = CHECK.matcher(text);
        while (checks.find()) {
          String body = text.substring(checks.end(), text.indexOf("\n  }\n", checks.end()));
          if (body.contains("Invariant.check(")) {
            WORDS.matcher(body).results().forEach(words -> missing.add(words.group(1)));
          }
        }
      }
    }
    assertThat(missing).hasSizeGreaterThan(100);
    rows().forEach(row -> missing.remove(row.words));
    missing.removeAll(ELSEWHERE);
    assertThat(missing).isEmpty();
  }

  // ---- a node and its links --------------------------------------------------------------------------------------

  private void node() {
    row("a step leaves nothing for later", in -> in.add("later", (Runnable) () -> {}));
    row("each group has a name, and is joined once", in -> in.put("groupKeys", "another", 1L));
    row("a node does not watch itself", in -> in.add("interest", A));
    row("a timer runs out once", in -> in.set("timers.dues", new TreeMap<>()));
    row("only who is watched is suspected", in -> in.add("detector.suspects", C));
    row(
        "nothing is left of a batch that was closed",
        in -> in.add(GROUP + "sending.packer.parts", ByteBuffer.allocate(1)));
    row(
        "what has waited longest goes first",
        in -> {
          Packer packer = in.get(GROUP + "sending.packer");
          packer.add(2, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.allocate(1)));
          packer.add(1, MessageBlock.of(Batch.Kind.TOTAL, ByteBuffer.allocate(1)));
        });
    row("nothing goes on when a membership has ended", in -> in.set(GROUP + "ended", true));
    row("a subset multicast that is out was sent", in -> in.set(GROUP + "sending.subsets.out", true));
    row(
        "a subset multicast that is out has a destination",
        in -> {
          in.set(GROUP + "sending.subsets.out", true);
          in.set(
              GROUP + "sending.subsets.sent",
              Innards.make("history.SubsetQueue$Sent", Members.batch(A, 1), List.of(), List.of(), false));
        });
    row(
        "who replays its log has not all yet",
        in ->
            in.set(
                GROUP + "deliveries.replay",
                Innards.make(
                    "history.Deliveries$Replay", in.get(GROUP + "deliveries"), nothingKept(), new Position(0, 0), 1L)));
  }

  private static Restart nothingKept() {
    var none = new Position(0, 0);
    return new Restart(new MemberIdentity(A, List.of()), null, null, none, List.of(), none, none, none, region());
  }

  private static Region region() {
    Class<?>[] types = {Region.class};
    return (Region)
        Proxy.newProxyInstance(
            Region.class.getClassLoader(),
            types,
            (_, method, _) -> method.getReturnType() == long.class ? (Object) 0L : null);
  }

  private void links() {
    row("an open stream is later than the closed ones", in -> in.set(LINK + "in.streamClosed", FAR));
    row(
        "nothing is kept of a closed stream",
        in -> {
          in.set(LINK + "in.stream", 0L);
          in.set(LINK + "in.streamClosed", 0L);
        });
    row("what is kept lies beyond a gap and within the window", in -> in.put(LINK + "in.early", 0L, empty()));
    row("what is kept beyond a gap is counted", in -> in.set(LINK + "in.earlyBytes", 1L));
    row("what a stream keeps is counted for the node", in -> in.set(LINK + "in.kept", 1L));
    row("what all streams keep is counted", in -> in.set("links.kept.bytes", 1L));
    row(
        "an acknowledgement that is owed has its time",
        in -> {
          in.set(LINK + "in.ackOwed", 1);
          in.set(LINK + "in.ackAt", Long.MAX_VALUE);
        });
    row("nothing is on the way in a closed stream", in -> in.set(LINK + "out.stream", 0L));
    row(
        "packets that are not acknowledged have successive numbers up to the last one",
        in -> in.set(LINK + "out.seqNext", in.number(LINK + "out.seqNext") + 1));
    row("no packet goes beyond the receiver's window", in -> in.set(LINK + "out.seqLimit", 0L));
    row("of a message that is begun something is left", in -> in.set(LINK + "out.unfinishedDone", 1));
    row("what is on the way is counted", in -> in.set(LINK + "out.onTheWay", FAR));
    row(
        "bulk waits apart",
        in -> in.add(LINK + "out.queue", new Encoded(ByteBuffer.allocate(0), ByteBuffer.allocate(0), A, false)));
    row("what is not acknowledged is going to be sent again", in -> in.set(LINK + "out.retransmitAt", Long.MAX_VALUE));
    row("what is queued or not acknowledged is counted", in -> in.set(LINK + "out.outstanding", FAR));
    row(
        "only so many closed links are kept",
        in -> {
          for (long i = 0; i < 2000; i++) {
            in.put("links.shut", 1000 + i, in.get("links.open.0"));
          }
        });
    row(
        "an open link has a stream, and is not shut",
        in -> in.put("links.shut", B.incarnation(), in.get("links.open.0")));
    row("a link is found by its peer's incarnation", in -> in.put("links.open", 99L, in.get("links.open.0")));
    row("a link that will have something to write is looked at then", in -> in.set(LINK + "dueAt", 5L));
    row("a link that is due is where it says", in -> in.set("links.due.heap.0.place", 99));
    row(
        "the first link is due first",
        in -> {
          in.call("links", "remember", C);
          in.set("links.shut.0.place", 1);
          in.set("links.shut.0.dueAt", 5L);
          in.set("links.due.heap.1", in.get("links.shut.0"));
          in.set("links.due.size", 2);
        });
    row("a link that something has happened to says so", in -> in.add("links.due.touched", in.get("links.due.heap.0")));
    row(
        "a link that is shut has no stream, and waits for nothing",
        in -> in.put("links.shut", 99L, in.get("links.open.0")));
  }

  private static ByteBuffer empty() {
    return ByteBuffer.allocate(0);
  }

  // ---- a view's history ------------------------------------------------------------------------------------------

  private void log() {
    String log = HISTORY + "log.";
    row(
        "what is held begins with what is kept, and is known",
        in -> in.set(log + "heldNext", in.number(log + "places.first") - 1));
    row("places are not too far ahead of the batches", in -> in.set(log + "places.next", FAR));
    row("what is held is here", in -> in.set(log + "lanes.0.first", in.number(log + "lanes.0.next")));
    row("what is here without a gap is held", in -> in.set(log + "heldNext", in.number(log + "heldNext") - 1));
    row("a sender's batches begin where its lane does", in -> in.set(log + "begin.0", FAR));
    row("of a sender only what has come is held", in -> in.set(log + "heldOf.0", FAR));
    row("a sender's places begin where its lane does", in -> in.set(log + "placedNext.1", -1L));
    row("an own batch has no place before it was sent", in -> in.set(log + "placedNext.0", FAR));
    row("what a sequence holds has room in its ring", in -> in.set(log + "lanes.0.next", -1L));
    row("a sequence has no gap at its ends", in -> in.set(log + "lanes.0.ring", new Object[16]));
    row("what waits goes on where the log ends", in -> in.add(HISTORY + "room.waiting.1", Members.batch(B, 99)));
    row("the bytes of what waits are counted", in -> in.set(HISTORY + "room.bytes.0", 1L));
    row(
        "only what came before its turn is behind a gap",
        in -> in.put(HISTORY + "room.ahead.1", -2L, Members.batch(B, -2)));
    row("a chain reaches every other member", in -> in.set(HISTORY + "dissemination.self", 5));
    row(
        "who relays sends what is its own as a star",
        in -> in.set(HISTORY + "dissemination.last", Transmission.Way.RELAY));
    row("what waits is counted", in -> in.set(HISTORY + "room.size", 1));
  }

  private void places() {
    String places = HISTORY + "log.places.";
    row("a list of places has an order", in -> in.set(places + "head", 1000));
    row("every place is in a run", in -> in.set(places + "head", in.get(places + "tail")));
    row("runs reach from the first place on", in -> in.set(places + "indexes." + in.number(places + "head"), FAR));
    row("runs begin one after the other", in -> in.set(places + "indexes." + (in.number(places + "head") + 1), 0L));
  }

  private void reads() {
    String round = HISTORY + "reads.round.";
    row("nothing is confirmed that nobody asked", in -> in.set(GROUP + "confirmed", 1L));
    row(
        "the last round is under way",
        in -> {
          beginRound(in);
          in.set(round + "number", FAR);
        });
    row(
        "whoever asks answers first",
        in -> {
          beginRound(in);
          in.<BitSet>get(round + "answered").clear();
        });
    row(
        "members of the view answer",
        in -> {
          beginRound(in);
          in.<BitSet>get(round + "answered").set(9);
        });
  }

  /// One that cannot end, as this member has not delivered what is held.
  private static void beginRound(Innards in) {
    ReadIndex reads = in.get(HISTORY + "reads");
    reads.flush(1, 0, FAR, 0);
  }

  private void stability() {
    String stability = HISTORY + "stability.";
    row("nothing is decided that is not held here", in -> in.set(stability + "decidedNext", FAR));
    other("a quorum holds what is decided", in -> in.set(stability + "held.0", -1L));
    row("nothing is consumed that is not held here", in -> in.set(stability + "consumed.0", FAR));
    row("members are told what is so", in -> in.set(stability + "told.1.held", FAR));
    row("who was told is looked at anew", in -> in.set(stability + "told.1.now", true));
    row("nothing is acknowledged that is not held", in -> in.set(stability + "held.0", FAR));
    row("nothing is forgotten that a member does not hold", in -> in.set(stability + "held.1", -1L));
    row("who is not looked at was told all", in -> in.set(stability + "told.1.held", -1L));
    row("what waits longest is told first", in -> in.set(stability + "waitingSince", 0L));
    row("who is last is known", in -> in.set(stability + "leastHeld", -1L));
  }

  private void orders() {
    String orders = HISTORY + "orders.";
    row("a switch that is held is carried out", in -> in.set(orders + "next", Ordering.SKEEN));
    row("the ordering in force is not retired", in -> in.set(orders + "current.retired", true));
    row("orderings retire one after the other", in -> in.add(orders + "retiring", in.get(orders + "current")));
    row(
        "an ordering's places come after those of the one before",
        in -> {
          in.call(HISTORY + "orders", "switched", Ordering.SYMMETRIC);
          in.call(HISTORY + "orders", "flush");
          in.set(orders + "retiring.0.indexNext", -1L);
        });
    row(
        "only what is for a later ordering waits",
        in -> in.add(orders + "early", Innards.make("history.OrderingEpochs$Early", B, 0, empty())));
    row("what is decided and was not said is going to be said", in -> in.add(ORDER + "unsaid", new Run(0, 0, 1)));
    row(
        "no more is decided than one message says",
        in -> {
          in.set(ORDER + "unsaidIndex", in.number(ORDER + "indexNext") - (1 << 17));
          in.add(ORDER + "unsaid", new Run(0, 0, 1 << 17));
        });
  }

  private void history() {
    row("the ordering in force is going to be told", in -> in.add(HISTORY + "inForce", Ordering.SKEEN));
    row("nothing is forgotten that is not delivered", in -> in.set(HISTORY + "log.indexFirst", FAR));
    row("only what is held is delivered", in -> in.set(GROUP + "deliveries.deliveredNext", FAR));
    row("a history that goes on is there", in -> in.set(GROUP + "history.kept.current", null));
    row("only what is delivered is said to be", in -> in.set(HISTORY + "early.said.0", FAR));
    row("only what has come is delivered", in -> in.set(HISTORY + "early.totals.0", FAR));
    row("causal batches that wait are counted", in -> in.set(HISTORY + "early.size", 1));
    row("only what is delivered was before", in -> in.set(HISTORY + "early.saidTotalNext", FAR));
    row(
        "in a wedged view nothing is delivered before its place",
        in -> {
          in.set(HISTORY + "early.stopped", true);
          in.add(HISTORY + "early.free", Members.batch(A, 9));
        });
  }

  private void deliveries() {
    String deliveries = GROUP + "deliveries.";
    String ledger = deliveries + "ledger.";
    row(
        "own batches are delivered in their order",
        in -> in.<Deliveries>get(GROUP + "deliveries").deliver(0, Members.batch(A, 99)));
    other(
        "own batches whose fate is open are the last ones, without a gap",
        in -> in.set(ledger + "sentNext", in.number(ledger + "sentNext") + 1));
    row("nothing is consumed that the user did not get", in -> in.set(deliveries + "handed", -1L));
    row("no own batch has a place that was not sent", in -> in.set(ledger + "placedNext", FAR));
    row("only what is delivered is to be consumed", in -> in.set(deliveries + "deliveredNext", 0L));
    row("who has the state keeps nothing back", in -> in.add(deliveries + "held", "something"));
    row("what is kept back is counted", in -> in.set(deliveries + "heldBytes", 1L));
    row("who serves has the state, in a primary view", in -> in.set(deliveries + "synced", false));
  }

  private void branch() {
    String branch = GROUP + "branch.";
    row("a branch that goes on has a history", in -> in.set(branch + "active", true));
    row("no own batch is delivered that was not sent in the branch", in -> in.set(branch + "ownDelivered", 1L));
    row(
        "only what a branch has delivered is to be consumed",
        in -> {
          in.set(branch + "sentNext", 1L);
          in.<Branch>get(GROUP + "branch").deliver(0, Members.batch(A, 0));
          in.set(branch + "deliveredNext", 0L);
        });
    row("the application has consumed no more than it got in branches", in -> in.set(branch + "handed", -1L));
  }

  @Test
  void aBrokenJournalIsFound() {
    Consumer<Journal.Staged> commit = _ -> {};
    var journal = (Journal) Innards.make("durable.Journal", region(), Durability.EACH, null, commit);
    var in = new Innards(journal);
    journal.check();
    in.set("next", FAR);
    assertThatThrownBy(journal::check).hasMessage("only what is written is committed");
    in.set("persisted.index", FAR);
    assertThatThrownBy(journal::check).hasMessage("the application's state ends within the log");
    in.call("base", "pass", A, 0L, 1);
    in.set("base.index", 0L);
    assertThatThrownBy(journal::check).hasMessage("what is summed up in a place is before it");
  }

  // ---- views -----------------------------------------------------------------------------------------------------

  private static Knowledge.Accepted agreed(Innards in) {
    return in.get(AGREEMENT + "chain.installed");
  }

  private void agreement() {
    row("a member is in its view", in -> in.set(AGREEMENT + "view", primary(1, B)));
    row("no view is installed that is later than what was promised", in -> in.set(AGREEMENT + "view", primary(99, A)));
    row("who is going to install another view is wedged", in -> in.set(AGREEMENT + "pending", agreed(in)));
    row(
        "what is accepted was promised",
        in -> {
          in.set(AGREEMENT + "wedged", true);
          in.set(AGREEMENT + "pending", new Knowledge.Accepted(new ViewId(99, 1), agreed(in).proposal()));
        });
    row(
        "who has announced a view makes no other attempt",
        in -> {
          in.set(AGREEMENT + "announced", new ViewId(99, 1));
          attempt(in, "ASKING");
        });
    row("nothing goes on in a wedged view", in -> in.set(AGREEMENT + "wedged", true));
    row("the view's own history goes on", in -> in.set(HISTORY + "view", primary(1, A)));
    row(
        "the view's own branch goes on",
        in -> {
          in.set(GROUP + "branch.active", true);
          in.set(GROUP + "branch.kept.current", in.get(GROUP + "history.kept.current"));
        });
    row("in a primary view that is not wedged its history goes on", in -> in.set(GROUP + "history.active", false));
    row(
        "a member speaks the version of its view",
        in -> in.set(AGREEMENT + "speaks", new SpokenVersions(new Versions(1, 1), 1)));
    row("promises rise", in -> in.set(AGREEMENT + "promise.ballot", new ViewId(0, 0)));
    row("a ballot is promised to its proposer", in -> in.set(AGREEMENT + "promise.proposer", C));
    row("whoever fetches goes on when all is here", in -> in.add(AGREEMENT + "recovery.wanted", "something"));
    row(
        "of each history one end is fetched",
        in -> {
          for (int i = 0; i < 3; i++) {
            in.add(AGREEMENT + "recovery.asked", "something");
          }
        });
  }

  private void chain() {
    row("who knows a primary view is in its history", in -> in.set(AGREEMENT + "chain.lineage", null));
    row("the last view is kept", in -> in.set(AGREEMENT + "chain.primary", null));
    row(
        "what is accepted is the last primary view, or follows it",
        in -> {
          in.set(AGREEMENT + "chain.accepted", agreed(in));
          in.set(AGREEMENT + "chain.primary", primary(99, A));
        });
    row(
        "what is accepted is in no lower version than the last primary view",
        in -> {
          Knowledge.Accepted next = agreed(in);
          View last = next.proposal().view();
          in.set(AGREEMENT + "chain.accepted", next);
          in.set(
              AGREEMENT + "chain.primary",
              new View(last.id(), last.members(), last.voters(), true, last.predecessors(), last.version() + 1));
        });
    row(
        "only primary views are chained",
        in -> {
          View apart = nonPrimary(9, A);
          var proposal =
              new Proposal(apart, null, null, List.of(), 0, Ordering.SKEEN, 0, List.of(), List.of(), List.of());
          in.set(AGREEMENT + "chain.accepted", new Knowledge.Accepted(apart.id(), proposal));
        });
  }

  /// The proposer seems to be at work, with itself as the only candidate.
  private static void attempt(Innards in, String phase) {
    in.set(PROPOSER + "phase", phase);
    in.add(PROPOSER + "candidates", A);
    if (phase.equals("ACCEPTING")) {
      in.set(PROPOSER + "proposal", agreed(in).proposal());
    }
  }

  private void proposer() {
    row("there is a proposal while it is to be accepted", in -> in.set(PROPOSER + "proposal", agreed(in).proposal()));
    row("without itself a proposer makes no attempt", in -> in.add(PROPOSER + "candidates", B));
    row(
        "only candidates report",
        in -> {
          attempt(in, "ASKING");
          in.put(PROPOSER + "reports", B, null);
        });
    row("a proposal counts on reports from all candidates", in -> attempt(in, "ACCEPTING"));
    row("only candidates accept", in -> in.add(PROPOSER + "late", B));
    row(
        "only a proposal is accepted",
        in -> {
          attempt(in, "ASKING");
          in.add(PROPOSER + "accepted", A);
        });
    row(
        "who is asked later has not accepted",
        in -> {
          attempt(in, "ACCEPTING");
          in.put(PROPOSER + "reports", A, null);
          in.add(PROPOSER + "accepted", A);
          in.add(PROPOSER + "late", A);
        });
  }

  private void peerStates() {
    String peerStates = AGREEMENT + "peerStates.";
    row("only others in the view have gone", in -> in.add(peerStates + "gone", A));
    row("who is in another view has gone", in -> in.put(peerStates + "elsewhere", B, new ViewId(9, 1)));
    row("only who is in the view leaves it", in -> in.add(peerStates + "leavers", C));
    row("nobody is found who is in the view", in -> in.add(peerStates + "found", B));
    row(
        "not more are found than a view can have",
        in -> {
          for (int i = 0; i < 5000; i++) {
            in.add(peerStates + "found", Members.member("x" + i, 100 + i));
          }
        });
    row("nobody is lost who is in the view", in -> in.add(peerStates + "lost", B));
    row("only members of the view confirm it", in -> in.put(peerStates + "confirmedAt", C, 0L));
  }

  private static void coming(Innards in) {
    in.set(GROUP + "deliveries.serving", false);
    in.set(GROUP + "deliveries.synced", false);
    in.set(GROUP + "transfer.incoming", incoming());
  }

  private static Object incoming() {
    var transfer = new Knowledge.Transfer(B, new ViewId(1, 1));
    return Innards.make("membership.StateTransfer$Incoming", transfer, 0L);
  }

  private static void going(Innards in) {
    MemberId newcomer = B;
    in.put(
        GROUP + "transfer.outgoing",
        5L,
        Innards.make("membership.StateTransfer$Outgoing", newcomer, new ViewId(1, 1), true));
  }

  private void transfer() {
    String coming = GROUP + "transfer.incoming.";
    row("who has the state waits for none", in -> in.set(GROUP + "transfer.incoming", incoming()));
    row(
        "a state is offered when its donor has spoken",
        in -> {
          coming(in);
          in.set(coming + "offered", true);
        });
    row(
        "who has taken all of a state has the state",
        in -> {
          coming(in);
          in.set(coming + "whole", true);
        });
    row(
        "only so much of a state is not taken",
        in -> {
          coming(in);
          in.set(coming + "untaken", 99);
        });
    row(
        "a transfer to this member has its number",
        in -> {
          coming(in);
          in.set(coming + "local", FAR);
        });
    row("a transfer from this member has its number", ChecksTest::going);
    row(
        "a state goes to others, piece by piece",
        in -> {
          going(in);
          in.set(GROUP + "transfer.numbers", 5L);
          in.set(GROUP + "transfer.outgoing.0.onTheWay", -1);
        });
  }

  // ---- orderings -------------------------------------------------------------------------------------------------

  private void skeen() {
    String lane = ORDER + "lanes.0.";
    row("nothing is decided beyond the clock", in -> in.set(lane + "decidedLast", FAR));
    row(
        "what has come in this run of inputs is going to be proposed",
        in -> in.add(ORDER + "unproposed", new Run(0, 0, 1)));
    row(
        "a member's proposals begin with the first own batch that is not decided",
        in -> in.add(ORDER + "proposals.1.awaitingDecision", new Skeen.TimestampedRun(77, 1, 1)));
    row("a member's proposals rise", in -> in.set(ORDER + "proposals.0.last", FAR));
    row("what is decided was proposed, and that has come", in -> in.set(lane + "arrivedNext", 0L));
    row("all that is proposed and not decided is pending", in -> in.clear(lane + "pending"));
    row(
        "what is proposed and not decided is pending, in its order",
        in -> in.add(lane + "pending", new Skeen.TimestampedRun(99, 1, 1)));
    row(
        "a sender's decided timestamps rise",
        in -> {
          in.add(lane + "decided", new Skeen.TimestampedRun(0, 1, 2));
          in.add(lane + "decided", new Skeen.TimestampedRun(1, 1, 1));
        });
    row(
        "the last decision is the last one that waits for its place",
        in -> in.add(lane + "decided", new Skeen.TimestampedRun(0, 1, FAR)));
  }

  /// With a subset multicast of this member on its way.
  private void subset(String words, Consumer<Innards> change) {
    row(
        words,
        in -> {
          in.<SubsetMulticasts>get(HISTORY + "subsets").send(List.of(0, 1), Members.batch(A, 1));
          change.accept(in);
        });
  }

  private void subsets() {
    String lane = HISTORY + "subsets.lanes.0.";
    String subset = HISTORY + "subsets.pending.subsets.0.";
    subset("an own subset multicast on its way is the last one", in -> in.set(lane + "last", 0L));
    subset("a subset multicast waits once", in -> in.set(lane + "delivered", FAR));
    subset("only what is decided has its place", in -> in.set(subset + "index", 5L));
    subset("only what has its place is said to be held", in -> in.set(subset + "said", true));
    subset("subset multicasts without a place are counted", in -> in.set(HISTORY + "subsets.pending.unsettled", 0));
    subset(
        "places are kept only while a subset multicast has none",
        in -> {
          in.clear(HISTORY + "subsets.pending.subsets");
          in.set(HISTORY + "subsets.pending.unsettled", 0);
          in.add(HISTORY + "subsets.pending.placed", "something");
        });
    subset(
        "what is said to be held is held here",
        in -> {
          in.set(subset + "decided", true);
          in.set(subset + "index", 5L);
          in.set(subset + "said", true);
          in.set(HISTORY + "subsets.pending.unsettled", 0);
        });
    subset("no subset multicast is beyond the clock", in -> in.set(subset + "timestamp", FAR));
    subset("what is kept of a sender's subset multicasts is counted", in -> in.set(lane + "bytes", 0L));
  }

  private void symmetric() {
    row("nothing is said or seen beyond the clock", in -> in.set(ORDER + "said", FAR));
    row("nobody is heard beyond the clock", in -> in.set(ORDER + "heard.clocks.1", FAR));
    row("a sender's stamps rise", in -> in.set(ORDER + "pending.0.ring", ring(0)));
    row(
        "a word waits only for batches",
        in -> in.set(ORDER + "heard.ahead.1", Innards.make("order.HeardClocks$Word", 0L, 0L)));
    row("who has sent a batch is heard", in -> in.set(ORDER + "heard.clocks.0", 0L));
    row("nothing waits past which everybody is heard", in -> in.set(ORDER + "heard.clocks.1", in.number("clock.last")));
  }

  private static Object[] ring(long stamp) {
    var ring = new Object[16];
    for (int i = 0; i < ring.length; i++) {
      ring[i] = Innards.make("order.Symmetric$Pending", 1L, stamp);
    }
    return ring;
  }

  private void consensus() {
    String rounds = ORDER + "consensus.";
    row("only what has come has a place", in -> in.set(ORDER + "arrivedNext.0", 0L));
    row("what has no place is counted", in -> in.set(ORDER + "unplaced", 9L));
    row(
        "what has no place is going to be proposed",
        in -> in.add(ORDER + "arrivals", new ConsensusOrder.LaneEnd(0, 1)));
    row("a decision waits only for a batch", in -> in.add(ORDER + "decisions", new ConsensusOrder.LaneEnd(0, 0)));
    row("nothing is adopted in a round that is to come", in -> in.set(rounds + "adoptedIn", FAR));
    row("only what is decided is forgotten", in -> in.set(rounds + "keptFirst", FAR));
    row(
        "values go from the first that somebody may lack on without a gap",
        in -> in.put(rounds + "values", 99L, List.of()));
    row("what is decided and kept has a value", in -> in.set(rounds + "decidedNext", FAR));
    other("only a round's coordinator leads it", in -> in.set(rounds + "leading", true));
    row(
        "a coordinator has proposed what it has adopted",
        in -> in.set(rounds + "roundNext", in.number(rounds + "roundNext") + 1));
    row("nobody is told of a round that this member is not in", in -> in.set(rounds + "told.1", FAR));
    row("nobody has adopted what was not proposed", in -> in.set(rounds + "acked.1", FAR));
  }

  private void domain() {
    String member = "domains.0.members.0.";
    row("this member has not said more than its clock", in -> in.set(HISTORY + "frontier.said", FAR));
    row("only what is wanted was asked for", in -> in.set(HISTORY + "frontier.askedSaid", FAR));
    row("no member's clock is known to be beyond this one's", in -> in.set(HISTORY + "frontier.heard.clocks.1", FAR));
    row(
        "a word waits only for batches",
        in -> in.set(HISTORY + "frontier.heard.ahead.1", Innards.make("order.HeardClocks$Word", 0L, 0L)));
    row("only a member of the domain has the turn", in -> in.set("domains.0.turn", stranger()));
    row(
        "only members of the domain wait for their turn",
        in -> in.add("domains.0.outbox", Innards.make("domain.Domain$Waiting", stranger(), (Runnable) () -> {})));
    row("deliveries that wait are counted", in -> in.set(member + "deliveries", 1));
    row(
        "a group's deliveries are stamped in their order",
        in -> {
          in.<DomainMember>get("domains.0.members.0").deliver(9, Members.batch(B, 9), 9);
          in.set(member + "chain", -1L);
        });
  }

  private static DomainMember stranger() {
    return new DomainMember(new Duet.User(), new Domain(), 7);
  }
}
