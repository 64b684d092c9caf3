package org.tutti.verify.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.consensus.ChandraToueg;
import org.tutti.dissemination.Transmission;
import org.tutti.membership.Founding;
import org.tutti.membership.Hello;
import org.tutti.membership.Knowledge;
import org.tutti.membership.Proposal;
import org.tutti.membership.StateTransfer;
import org.tutti.membership.ViewMessage;
import org.tutti.order.ConsensusOrder;
import org.tutti.order.ConsensusOrder.LaneEnd;
import org.tutti.order.Cut;
import org.tutti.order.FixedSequencer;
import org.tutti.order.Run;
import org.tutti.order.Skeen;
import org.tutti.order.Stability;
import org.tutti.order.Symmetric;
import org.tutti.order.Tail;
import org.tutti.pack.Batch;
import org.tutti.pack.Payloads;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;

/// The messages of one node in words: their names, and of their content what matters.
final class Wording {
  private static final List<String> REPEATED = List.of("hello(", "Meet(", "Found(", "Report(", "Doubted(");
  private static final long PROPOSER_MAX = Long.parseLong("zzz", Character.MAX_RADIX);
  private static final int BATCH = 1;
  private static final int ORDER = 2;
  private static final int STABILITY = 3;
  private static final int STATE = 4;
  private static final int VIEW = 5;
  private static final int HELLO = 6;

  private final World world;
  private final Life speaker;

  Wording(World world, Life speaker) {
    this.world = world;
    this.speaker = speaker;
  }

  /// A message as one node says it to another.
  ///
  /// @return words, or null for what is not shown
  @Nullable String of(byte[] message, Address to) {
    try {
      var in = new WireReader(ByteBuffer.wrap(message));
      int channel = in.u8();
      in.fixed();
      return switch (channel) {
        case HELLO -> hello(Hello.read(in));
        case VIEW -> of(ViewMessage.CODEC.readAll(in));
        case STATE -> of(StateTransfer.CODEC.readAll(in));
        case BATCH, ORDER, STABILITY -> world.showsOrder() ? inView(channel, in, to) : null;
        default -> null;
      };
    } catch (Malformed e) {
      throw new IllegalStateException("a member says what cannot be read", e);
    }
  }

  /// Whether a message is said again and again until something comes of it.
  static boolean isRepeated(String words) {
    return REPEATED.stream().anyMatch(words::startsWith);
  }

  // ---- values ----------------------------------------------------------------------------------------------------

  static String of(View view) {
    return of(view.id()) + " " + members(view);
  }

  /// What comes before the first view of a group that is founded by several has no readable id.
  private static String of(ViewId view) {
    return Founding.isZero(view) && view.proposer() > PROPOSER_MAX ? "zero" : view.toString();
  }

  private static String members(View view) {
    String voters = names(view.members().subList(0, view.voters()));
    String observers = view.voters() < view.size() ? " observers " + names(view.observers()) : "";
    return (view.primary() ? "primary" : "not primary") + " [" + (voters + observers).strip() + "]";
  }

  private static String names(List<MemberId> members) {
    return members.stream().map(MemberId::name).collect(Collectors.joining(" "));
  }

  static List<String> texts(Batch batch) {
    List<String> texts = new ArrayList<>();
    for (Batch.Messages messages = batch.messages(); messages.hasNext(); ) {
      texts.add(UTF_8.decode(messages.next().duplicate()).toString());
    }
    return texts;
  }

  static String quoted(List<String> texts) {
    return texts.isEmpty() ? "nothing" : texts.stream().map(text -> '"' + text + '"').collect(Collectors.joining(" "));
  }

  private static String batch(Batch batch) {
    String content = batch.kind() == Batch.Kind.SWITCH ? "switch to " + batch.ordering() : quoted(texts(batch));
    return batch.sender() + "#" + batch.seq() + " " + content;
  }

  private static String numbers(String sender, long first, long length) {
    return sender + "#" + first + (length > 1 ? ".." + (first + length - 1) : "");
  }

  private String runs(ViewId view, List<Run> runs) {
    return runs.stream()
        .map(run -> numbers(world.nameOf(view, run.rank()), run.seq(), run.length()))
        .collect(Collectors.joining(" "));
  }

  // ---- view agreement --------------------------------------------------------------------------------------------

  /// A call; what only confirms a view to its members is not shown.
  private static @Nullable String hello(Hello hello) {
    return switch (hello.regard()) {
      case HEARD -> null;
      case UNKNOWN -> "hello(I am in " + hello.view() + ")";
      case UNHEARD -> "hello(I am in " + hello.view() + " with you, and do not hear you)";
      case ENDED -> "hello(I was in " + hello.view() + " with you, and have ended)";
      case LEFT_BEHIND -> {
        String before = hello.before().equals(hello.view()) ? "" : "have gone from " + hello.before() + " to ";
        yield "hello(I " + (before.isEmpty() ? "am in " : before) + hello.view() + " without you)";
      }
    };
  }

  private String of(ViewMessage message) {
    return switch (message) {
      case ViewMessage.Propose(var ballot) -> "Propose(" + ballot + ")";
      case ViewMessage.Wedged(var ballot, var knowledge) -> "Wedged(" + ballot + ": " + of(knowledge) + ")";
      case ViewMessage.Refused(var ballot, var promised) -> "Refused(" + ballot + ": promised " + promised + ")";
      case ViewMessage.Accept(var ballot, var proposal) -> "Accept(" + ballot + ": " + of(ballot, proposal) + ")";
      case ViewMessage.Accepted(var ballot) -> "Accepted(" + ballot + ")";
      case ViewMessage.Install(var view) -> "Install(" + view + ")";
      case ViewMessage.Agreed(var ballot, var proposal) -> "Agreed(" + ballot + ": " + of(ballot, proposal) + ")";
      case ViewMessage.Fetch(var view, var rank, var from, var next) ->
          "Fetch(" + numbers(world.nameOf(view, rank), from, next - from) + " of " + view + ")";
      case ViewMessage.Supply(var view, _, var batch) -> "Supply(" + batch(batch) + " of " + view + ")";
      case ViewMessage.Report(var members) -> "Report(I do not hear " + names(members) + ")";
      case ViewMessage.Doubted(var signs) -> "Doubted(" + signs(signs, false) + ")";
      case ViewMessage.Refuted(var signs) -> "Refuted(" + signs(signs, true) + ")";
      case ViewMessage.Ask(var leaving) -> "Ask(" + (leaving ? "let me out" : "a new view") + ")";
      case ViewMessage.Found(var coordinator) -> "Found(" + coordinator + ")";
      case ViewMessage.Meet meet -> "Meet(" + (meet.answer() ? "answer: " : "") + of(meet) + ")";
      case ViewMessage.Overruled(_, var member) -> "Overruled(by the older history of " + member + ")";
      case ViewMessage.NameInUse(var holder, _) -> "NameInUse(" + holder + ")";
      case ViewMessage.MayNotVote _ -> "MayNotVote";
      case ViewMessage.OtherVersion(int version, _) -> "OtherVersion(" + version + ")";
      case ViewMessage.Behind(var nanos) -> "Behind(" + nanos / 1_000_000 + " ms)";
      case ViewMessage.TooSlow(var bytes) -> "TooSlow(more than " + bytes + " bytes behind)";
    };
  }

  private static String signs(List<ViewMessage.Sign> signs, boolean ago) {
    return signs.stream()
        .map(sign ->
            sign.of() + ": heartbeat " + sign.beat() + (ago ? ", " + sign.agoNanos() / World.MILLI + " ms ago" : ""))
        .collect(Collectors.joining("; "));
  }

  private static String of(ViewMessage.Meet meet) {
    String history = meet.primary() == null ? "no history" : "last primary view " + of(meet.primary());
    return "I am in " + of(meet.view()) + ", " + history;
  }

  private String of(Knowledge known) {
    List<String> parts = new ArrayList<>();
    parts.add("in " + known.view().id());
    Knowledge.History history = known.history();
    if (known.primary() == null) {
      parts.add("no history");
    } else if (history == null || !history.view().equals(known.primary().id())) {
      parts.add("last primary view " + of(known.primary().id()) + ", which it has not installed");
    }
    if (history != null) {
      parts.add("history of " + of(history));
    }
    if (known.branch() != null) {
      parts.add("branch of " + of(known.branch()));
    }
    Knowledge.Accepted accepted = known.accepted();
    if (accepted != null && (known.primary() == null || isLater(accepted, known.primary().id()))) {
      parts.add("has accepted " + accepted.proposal().view().id());
    }
    if (known.primary() != null && !known.synced()) {
      parts.add("has not the state");
    }
    if (known.leaving()) {
      parts.add("wants to leave");
    }
    return String.join(", ", parts);
  }

  private static boolean isLater(Knowledge.Accepted accepted, ViewId primary) {
    return accepted.proposal().view().id().compareTo(primary) > 0;
  }

  private String of(Knowledge.History history) {
    Tail tail = history.tail();
    long end = tail.base() + Run.places(tail.places());
    List<String> unplaced = new ArrayList<>();
    for (int rank = 0; rank < tail.lanes().size(); rank++) {
      long next = placedNext(tail, rank);
      Tail.Lane lane = tail.lanes().get(rank);
      if (lane.next() > Math.max(next, lane.first())) {
        long first = Math.max(next, lane.first());
        unplaced.add(numbers(world.nameOf(history.view(), rank), first, lane.next() - first));
      }
    }
    String decided = tail.decidedNext() < end ? ", decided before " + tail.decidedNext() : "";
    String more = unplaced.isEmpty() ? "" : ", without place " + String.join(" ", unplaced);
    return of(history.view()) + " before place " + end + decided + more;
  }

  private static long placedNext(Tail tail, int rank) {
    return tail.places().stream().filter(run -> run.rank() == rank).mapToLong(Run::next).max().orElse(0);
  }

  private String of(ViewId ballot, Proposal proposal) {
    View view = proposal.view();
    world.learn(view);
    List<String> parts = new ArrayList<>();
    parts.add((view.id().equals(ballot) ? "" : "finish " + view.id() + ", ") + members(view));
    for (Cut cut : proposal.cuts()) {
      parts.add(
          of(cut.view())
              + (cut.whole() ? " ends before place " : " is decided before place ")
              + cut.end()
              + (cut.places().isEmpty() ? "" : " with " + runs(cut.view(), cut.places())));
    }
    for (Proposal.Assignment assignment : proposal.transfers()) {
      String what = assignment.state() ? "the state" : "the position";
      parts.add(assignment.newcomer() + " gets " + what + " of " + assignment.transfer().donor());
    }
    if (!proposal.departed().isEmpty()) {
      parts.add(names(proposal.departed()) + " leaves");
    }
    return String.join("; ", parts);
  }

  // ---- state transfer --------------------------------------------------------------------------------------------

  private static String of(StateTransfer.Message message) {
    return switch (message) {
      case StateTransfer.Message.Header header ->
          "Header(" + header.since() + " begins at position " + header.start().position() + ")";
      case StateTransfer.Message.Known known -> "Known(" + known.token().remaining() + " bytes)";
      case StateTransfer.Message.Chunk chunk ->
          "Chunk(" + chunk.bytes().remaining() + " bytes" + (chunk.end() == null ? ")" : ", the last)");
      case StateTransfer.Message.Taken _ -> "Taken()";
      case StateTransfer.Message.Cancelled _ -> "Cancelled()";
    };
  }

  // ---- order -----------------------------------------------------------------------------------------------------

  private String inView(int channel, WireReader in, Address to) throws Malformed {
    ViewId view = in.viewId();
    return switch (channel) {
      case BATCH -> {
        var encoding = new Transmission.Encoding(world.view(view), speaker.self(), Payloads.used());
        Transmission message = encoding.readAll(in);
        String way =
            switch (message.way()) {
              case STAR -> "";
              case CHAIN -> " along the chain";
              case RELAY -> " through the relay";
            };
        yield "Batch(" + batch(message.batch()) + way + ")";
      }
      case STABILITY -> of(Stability.CODEC.readAll(in));
      default -> {
        int epoch = in.countUpTo(Integer.MAX_VALUE);
        yield order(view, speaker.orderings().get(epoch), in, to);
      }
    };
  }

  private static String of(Stability.Message message) {
    return switch (message) {
      case Stability.Message.Progress(long heldNext, long consumedNext) ->
          "Progress(holds all before place " + heldNext + ", consumed all before " + consumedNext + ")";
    };
  }

  private String order(ViewId view, Ordering ordering, WireReader in, Address to) throws Malformed {
    return switch (ordering) {
      case SEQUENCER ->
          switch (FixedSequencer.CODEC.readAll(in)) {
            case FixedSequencer.Message.Ordered(long index, var runs) ->
                "Ordered(from place " + index + ": " + runs(view, runs) + ")";
          };
      case SKEEN ->
          switch (Skeen.CODEC.readAll(in)) {
            case Skeen.Message.Proposed(var run) ->
                "Proposed(" + stamped(to.text().replaceFirst(":.*", ""), List.of(run)) + ")";
            case Skeen.Message.Decided(var runs) -> "Decided(" + stamped(speaker.name(), runs) + ")";
          };
      case SYMMETRIC ->
          switch (Symmetric.CODEC.readAll(in)) {
            case Symmetric.Message.Alive(long clock, var _) -> "Alive(clock " + clock + ")";
          };
      case CONSENSUS -> of(view, ConsensusOrder.CODEC.readAll(in));
    };
  }

  private String of(ViewId view, ChandraToueg.Message<List<LaneEnd>> message) {
    return switch (message) {
      case ChandraToueg.Message.Estimate<List<LaneEnd>>(long round, long first, var decided, _, var adopted) ->
          "Estimate(round "
              + round
              + ": decided "
              + values(view, first, decided)
              + ", adopted "
              + values(view, first + decided.size(), adopted)
              + ")";
      case ChandraToueg.Message.Propose<List<LaneEnd>>(long round, long first, var values, _) ->
          "Propose(round " + round + ": " + values(view, first, values) + ")";
      case ChandraToueg.Message.Ack<List<LaneEnd>>(long round, long next, _) ->
          "Ack(round " + round + ": adopted all before decision " + next + ")";
      case ChandraToueg.Message.Nack<List<LaneEnd>>(long round, _) -> "Nack(I am in round " + round + ")";
      case ChandraToueg.Message.Decide<List<LaneEnd>>(long first, var values) ->
          "Decide(" + values(view, first, values) + ")";
    };
  }

  /// What several successive decisions are to be: of each sender, all batches before one.
  private String values(ViewId view, long first, List<List<LaneEnd>> values) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      String ends =
          values.get(i).stream()
              .map(end -> "before " + world.nameOf(view, end.rank()) + "#" + end.next())
              .collect(Collectors.joining(", "));
      parts.add("decision " + (first + i) + ": all " + ends);
    }
    return parts.isEmpty() ? "nothing" : String.join("; ", parts);
  }

  private static String stamped(String sender, List<Skeen.TimestampedRun> runs) {
    return runs.stream()
        .map(run -> numbers(sender, run.seq(), run.length()) + " timestamp " + run.timestamp())
        .collect(Collectors.joining(", "));
  }
}
