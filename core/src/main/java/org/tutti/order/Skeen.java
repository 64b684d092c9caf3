package org.tutti.order;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// Total order by Skeen's algorithm: every member proposes a logical timestamp for a batch, the sender decides for
/// the highest, and all place batches by their decided timestamps.
///
/// Guarantee, within one view: all members place the same batches at the same indexes, each sender's in its order.
/// Nobody stands in the middle, but everybody is needed: a member that says nothing stops the order until a view change
/// leaves it out. After Hirt, *Atomic Broadcast on various middlewares*, 1998, section 2.2; first in Birman and Joseph,
/// "Reliable communication in the presence of failures", ACM TOCS 5(1), 1987, who name D. Skeen. Deviations: the unit
/// is the batch; proposals and decisions are said once per engine run as runs; a sender's earlier decisions bound its
/// pending batches from below; the sender's crash (figure 10) is repaired by the view change's cut.
///
/// ```
///   sender                               every other member
///     | -- Batch(b) ----------------------> |    b is pending here from now on,
///     | <------------------ Proposed(b, t) -|    with a timestamp t beyond everything seen
///     | -- Decided(b, sn = highest t) ----> |    all place b in the order of (sn, sender's rank)
/// ```
///
/// Why it is safe. (1) A batch gets at least the timestamp that was proposed here; so when b is placed here, all
/// pending batches, and those that come later, get more than b has. (2) So every member places, in the order of (sn,
/// rank), all batches up to some pair. (3) A member's proposals for a sender's batches rise, so their highest ones do:
/// the sender's order is kept, and no two batches get the same pair. (4) Every member proposes more for a batch than
/// for those that arrived before it; what arrives first at every member gets the lower timestamp, so causes come first.
public final class Skeen implements TotalOrder<Skeen.Message> {
  /// What members say. A run names the number that it begins with, so runs need not join: a member that gets only some
  /// of a sender's batches could propose for these alone.
  public sealed interface Message {
    /// To the sender of batches: timestamps that they should have at least.
    ///
    /// @param run the batches that have come since the last proposal
    record Proposed(TimestampedRun run) implements Message {}

    /// From the sender of batches to all others: the timestamps that they have, sn(m).
    ///
    /// @param runs the batches that were decided since the last decision
    record Decided(List<TimestampedRun> runs) implements Message {}
  }

  private static final int PROPOSED = 1;
  private static final int DECIDED = 2;

  /// The bytes of [Message].
  public static final Codec<Message> CODEC =
      new Codec<>() {
        @Override
        public void write(Message message, WireWriter out) {
          switch (message) {
            case Message.Proposed(TimestampedRun run) -> {
              out.u8(PROPOSED);
              run.write(out);
            }
            case Message.Decided(List<TimestampedRun> runs) -> {
              out.u8(DECIDED);
              out.count(runs.size());
              runs.forEach(run -> run.write(out));
            }
          }
        }

        @Override
        public Message read(WireReader in) throws Malformed {
          return switch (in.u8()) {
            case PROPOSED -> new Message.Proposed(TimestampedRun.read(in));
            case DECIDED -> new Message.Decided(in.list(TimestampedRun.BYTES_MIN, TimestampedRun::read));
            default -> throw new Malformed("order");
          };
        }
      };

  /// One member's proposals for this member's batches.
  private static final class Proposals {
    private final ArrayDeque<TimestampedRun> awaitingDecision = new ArrayDeque<>();
    private long last; // its highest timestamp
  }

  private final int self;
  private final View view;
  private final Clock clock;
  private final Effects<Message> effects;
  private final Places places;
  private @Nullable PendingSubsetMulticasts subsets; // ordered with the batches
  private final List<TimestampedLane> lanes = new ArrayList<>(); // by the sender's rank
  private final List<Proposals> proposals = new ArrayList<>(); // by the proposer's rank
  private final List<Run> unproposed = new ArrayList<>(); // arrived in this run of inputs, in the order of arrival
  private final List<TimestampedRun> unsaid = new ArrayList<>(); // decided in this run of inputs

  /// Begins a view.
  ///
  /// @param context where it works
  /// @param effects how to reach the others
  /// @param places  where decisions go
  public Skeen(TotalOrder.Context context, Effects<Message> effects, Places places) {
    this.self = context.self();
    this.view = context.view();
    this.clock = context.clock();
    this.effects = effects;
    this.places = places;
    for (int rank = 0; rank < view.size(); rank++) {
      lanes.add(new TimestampedLane());
      proposals.add(new Proposals());
    }
  }

  /// Orders subset multicasts together with the batches.
  ///
  /// @param beside is told of every place before it is given
  public void accompany(SubsetMulticasts beside) {
    subsets = beside.pending();
    subsets.beside(this::isPast);
  }

  private boolean isPast(long timestamp, int rank) {
    int first = lowest(-1);
    long lowest = first < 0 ? TimestampedLane.NOTHING : lanes.get(first).lowest();
    return timestamp < lowest || (timestamp == lowest && rank < first);
  }

  /// The proposal is made in [#flush], one for successive batches of a sender that came in one run of inputs. It is
  /// beyond all that was seen then, and so beyond all that was seen now.
  @Override
  public void arrived(int rank, long seq, long stamp) {
    lanes.get(rank).arrived(seq);
    Run.append(unproposed, rank, seq);
  }

  @Override
  public void receive(MemberId from, Message message) throws Malformed {
    int rank = view.rankOf(from);
    if (rank < 0 || rank == self) {
      throw new Malformed("order");
    }
    switch (message) {
      case Message.Proposed(TimestampedRun run) -> proposed(rank, run);
      case Message.Decided(List<TimestampedRun> runs) -> decided(rank, runs);
    }
    place();
  }

  /// Only batches that this member has sent can be proposed a timestamp, so what others make it keep is bounded by its
  /// own window.
  private void proposed(int rank, TimestampedRun run) throws Malformed {
    Proposals from = proposals.get(rank);
    TimestampedLane own = lanes.get(self);
    long expected = from.awaitingDecision.isEmpty() ? own.decidedNext() : from.awaitingDecision.getLast().end();
    if (run.seq() != expected || run.end() > own.arrivedNext() || run.timestamp() <= from.last) {
      throw new Malformed("order");
    }
    propose(rank, run);
    decide();
  }

  private void propose(int rank, TimestampedRun run) {
    Proposals from = proposals.get(rank);
    from.awaitingDecision.add(run);
    from.last = run.last();
  }

  /// Decides on this member's batches for which everybody has made a proposal.
  private void decide() {
    while (isNextProposedByAll()) {
      long seq = lanes.get(self).decidedNext();
      int length = TimestampedRun.LENGTH_MAX;
      long highest = 0;
      for (Proposals from : proposals) {
        TimestampedRun first = from.awaitingDecision.getFirst();
        length = Math.min(length, first.length());
        highest = Math.max(highest, first.timestamp());
      }
      for (Proposals from : proposals) {
        TimestampedLane.drop(from.awaitingDecision, length);
      }
      var run = new TimestampedRun(seq, length, highest);
      take(self, run);
      TimestampedRun.append(unsaid, run);
    }
  }

  private boolean isNextProposedByAll() {
    for (Proposals from : proposals) {
      if (from.awaitingDecision.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private void decided(int rank, List<TimestampedRun> runs) throws Malformed {
    if (!lanes.get(rank).canDecide(runs)) {
      throw new Malformed("order");
    }
    for (TimestampedRun run : runs) {
      take(rank, run);
    }
  }

  /// From now on this member proposes more than was decided: what comes later cannot come before it.
  private void take(int rank, TimestampedRun run) {
    lanes.get(rank).decide(run);
    clock.witness(run.last());
  }

  /// Places what no other batch can come before.
  private void place() {
    int first = lowest(-1);
    while (first >= 0 && lanes.get(first).isDecided()) {
      int second = lowest(first);
      long limit = TimestampedLane.NOTHING;
      if (second >= 0) { // of equal timestamps the lower rank's comes first
        limit = lanes.get(second).lowest() + (first < second ? 1 : 0);
      }
      TimestampedRun run = lanes.get(first).take(limit);
      for (int i = 0; i < run.length(); i++) {
        if (subsets != null) {
          subsets.placing(run.timestamp() + i, first);
        }
        places.place(first, run.seq() + i);
      }
      first = lowest(-1);
    }
  }

  /// Whose next batch has, or could still get, the lowest timestamp.
  ///
  /// @param except a rank to leave out, or -1
  /// @return the rank, or -1 when nothing is on its way
  private int lowest(int except) {
    int lowest = -1;
    long timestamp = TimestampedLane.NOTHING;
    for (int rank = 0; rank < lanes.size(); rank++) {
      long its = lanes.get(rank).lowest();
      if (rank != except && its < timestamp) {
        lowest = rank;
        timestamp = its;
      }
    }
    return lowest;
  }

  @Override
  public void flush() {
    for (Run arrived : unproposed) {
      TimestampedRun run = lanes.get(arrived.rank()).propose(clock, arrived.length());
      if (arrived.rank() == self) {
        propose(self, run);
      } else {
        effects.send(view.members().get(arrived.rank()), new Message.Proposed(run));
      }
    }
    unproposed.clear();
    decide();
    place();
    if (!unsaid.isEmpty()) {
      effects.broadcast(new Message.Decided(List.copyOf(unsaid)));
      unsaid.clear();
    }
  }

  /// Goes on as before: a member that has not switched yet may wait for decisions on batches that it thinks could come
  /// before the switch. They come after it, because everything that comes before was decided when it was placed here.
  @Override
  public void retire() {}

  @Override
  public void check() {
    long arrived = 0;
    for (TimestampedLane lane : lanes) {
      lane.check();
      arrived += lane.unproposed();
      Invariant.check(lane.decidedLast() <= clock.now(), "nothing is decided beyond the clock");
    }
    Invariant.check(arrived == Run.places(unproposed), "what has come in this run of inputs is going to be proposed");
    TimestampedLane own = lanes.get(self);
    for (Proposals from : proposals) {
      TimestampedRun first = from.awaitingDecision.peekFirst();
      TimestampedRun last = from.awaitingDecision.peekLast();
      Invariant.check(
          first == null || (first.seq() == own.decidedNext() && last.end() <= own.arrivedNext()),
          "a member's proposals begin with the first own batch that is not decided");
      Invariant.check(last == null || last.last() == from.last, "a member's proposals rise");
    }
  }

  /// One sender's batches at one member on their way through Skeen's algorithm, in order: those that are here, then
  /// those for which this member has proposed a timestamp (pending), then those whose timestamp is decided.
  private static final class TimestampedLane {
    /// No batch of this sender is on its way.
    static final long NOTHING = Long.MAX_VALUE;

    private final ArrayDeque<TimestampedRun> pending = new ArrayDeque<>(); // with the timestamps proposed here
    private final ArrayDeque<TimestampedRun> decided =
        new ArrayDeque<>(); // with the sender's decisions, not placed yet
    private boolean begun;
    private long arrivedNext; // behind the last batch that is here
    private long proposedNext; // behind the last one that was proposed a timestamp
    private long decidedNext; // decidedNext <= proposedNext <= arrivedNext
    private long decidedLast; // the timestamp of the last decided batch

    void arrived(long seq) {
      if (!begun) {
        begun = true;
        proposedNext = seq;
        decidedNext = seq;
      }
      arrivedNext = seq + 1;
    }

    /// Stamps the next batches that have no proposal.
    ///
    /// @param clock  gives the timestamps
    /// @param length how many batches; as many are here
    TimestampedRun propose(Clock clock, int length) {
      var run = new TimestampedRun(proposedNext, length, clock.tick());
      for (int i = 1; i < length; i++) {
        clock.tick();
      }
      pending.add(run);
      proposedNext = run.end();
      return run;
    }

    long arrivedNext() {
      return arrivedNext;
    }

    long decidedNext() {
      return decidedNext;
    }

    /// Whether these can be the sender's decisions on its first pending batches: all of these were proposed here, the
    /// timestamps rise, and none is below what was proposed here.
    boolean canDecide(List<TimestampedRun> runs) {
      Iterator<TimestampedRun> proposals = pending.iterator();
      @Nullable TimestampedRun proposal = null;
      long at = decidedNext;
      long last = decidedLast;
      for (TimestampedRun run : runs) {
        if (run.seq() != at || run.end() > proposedNext || run.timestamp() <= last) {
          return false;
        }
        while (at < run.end()) {
          if (proposal == null || at == proposal.end()) {
            proposal = proposals.next();
          }
          if (run.timestampOf(at) < proposal.timestampOf(at)) {
            return false;
          }
          at = Math.min(run.end(), proposal.end());
        }
        last = run.last();
      }
      return !runs.isEmpty();
    }

    /// Takes a decision on the first pending batches.
    void decide(TimestampedRun run) {
      decided.add(run);
      decidedNext = run.end();
      decidedLast = run.last();
      drop(pending, run.length());
    }

    /// The least timestamp that the first of these batches has or could still get. It will be at least what was
    /// proposed here, and more than the batch before got.
    long lowest() {
      if (!decided.isEmpty()) {
        return decided.getFirst().timestamp();
      }
      return pending.isEmpty() ? NOTHING : Math.max(pending.getFirst().timestamp(), decidedLast + 1);
    }

    boolean isDecided() {
      return !decided.isEmpty();
    }

    /// Removes decided batches from the front.
    ///
    /// @param limit their timestamps are below it; the first one's is
    /// @return the batches, as many as stand in one run
    TimestampedRun take(long limit) {
      TimestampedRun first = decided.getFirst();
      int length = (int) Math.min(first.length(), limit - first.timestamp());
      drop(decided, length);
      return new TimestampedRun(first.seq(), length, first.timestamp());
    }

    /// Drops the first batches of a queue.
    static void drop(ArrayDeque<TimestampedRun> runs, int count) {
      int left = count;
      while (left > 0) {
        TimestampedRun first = runs.removeFirst();
        if (first.length() > left) {
          runs.addFirst(first.without(left));
        }
        left -= Math.min(left, first.length());
      }
    }

    void check() {
      Invariant.check(
          decidedNext <= proposedNext && proposedNext <= arrivedNext,
          "what is decided was proposed, and that has come");
      long at = decidedNext;
      for (TimestampedRun run : pending) {
        Invariant.check(run.seq() == at, "what is proposed and not decided is pending, in its order");
        at = run.end();
      }
      Invariant.check(at == proposedNext, "all that is proposed and not decided is pending");
      long last = 0;
      for (TimestampedRun run : decided) {
        Invariant.check(run.timestamp() > last, "a sender's decided timestamps rise");
        last = run.last();
      }
      Invariant.check(
          decided.isEmpty() || (last == decidedLast && decided.getLast().end() == decidedNext),
          "the last decision is the last one that waits for its place");
    }

    /// How many batches have no proposal.
    long unproposed() {
      return arrivedNext - proposedNext;
    }

    long decidedLast() {
      return decidedLast;
    }
  }

  /// Successive batches of one sender with successive logical timestamps.
  ///
  /// @param seq       the first batch's number
  /// @param length    how many batches, at least 1
  /// @param timestamp the first batch's timestamp; each following batch has the next one
  public record TimestampedRun(long seq, int length, long timestamp) {
    /// A longer one is two. Far more than a sender's window holds.
    static final int LENGTH_MAX = 1 << 20;

    /// The least bytes of a run in a message.
    static final int BYTES_MIN = 3;

    /// A clock that rises by a thousand million a second gets there in 146 years; it is far enough from the largest
    /// number that whoever believes such a stamp can go on counting.
    static final long TIMESTAMP_MAX = 1L << 62;

    /// The number behind the last batch.
    ///
    /// @return first number plus length
    public long end() {
      return seq + length;
    }

    /// The timestamp of the last batch.
    ///
    /// @return the highest of this run
    public long last() {
      return timestamp + length - 1;
    }

    /// The timestamp of a batch.
    ///
    /// @param number the batch's number, from [#seq] to below [#end]
    /// @return its timestamp
    public long timestampOf(long number) {
      return timestamp + (number - seq);
    }

    /// The same without its first batches.
    ///
    /// @param count how many to leave out, less than the length
    /// @return the rest
    TimestampedRun without(int count) {
      return new TimestampedRun(seq + count, length - count, timestamp + count);
    }

    /// Whether another run goes on where this one ends, in numbers and in timestamps.
    private boolean goesOnWith(TimestampedRun run) {
      return end() == run.seq && timestamp + length == run.timestamp && length + run.length <= LENGTH_MAX;
    }

    /// Appends a run to a list, extending the last one where possible.
    ///
    /// @param runs the list
    /// @param run  what follows
    static void append(List<TimestampedRun> runs, TimestampedRun run) {
      if (!runs.isEmpty() && runs.getLast().goesOnWith(run)) {
        TimestampedRun last = runs.removeLast();
        runs.add(new TimestampedRun(last.seq, last.length + run.length, last.timestamp));
      } else {
        runs.add(run);
      }
    }

    /// Appends this to a message.
    ///
    /// @param out where to
    void write(WireWriter out) {
      out.count(seq);
      out.count(length);
      out.count(timestamp);
    }

    /// Takes one from a message.
    ///
    /// @param in where from
    /// @return the run
    /// @throws Malformed when a number is out of its range
    static TimestampedRun read(WireReader in) throws Malformed {
      var run = new TimestampedRun(in.count(), in.countUpTo(LENGTH_MAX), in.count());
      if (run.length == 0 || run.end() < 0 || run.timestamp > TIMESTAMP_MAX) {
        throw new Malformed("run");
      }
      return run;
    }
  }
}
