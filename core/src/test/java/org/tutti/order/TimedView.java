package org.tutti.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.order.Skeen.Message.Decided;
import org.tutti.wire.Malformed;

/// A view whose members run Skeen's algorithm over links with delays, in simulated time. Members take no time, and
/// every arrival is a run of inputs of its own. Written down is, for each batch and member, when the member learned
/// what was decided and when it gave the place.
final class TimedView {
  /// How long a link takes.
  interface Delay {
    long nanos(int from, int to);
  }

  /// What became of a batch at a member.
  ///
  /// @param sentAt    when its sender multicast it
  /// @param decidedAt when the member learned its timestamp
  /// @param placedAt  when the member placed it
  record Fate(long sentAt, long decidedAt, long placedAt) {
    long waited() {
      return placedAt - decidedAt;
    }

    long took() {
      return placedAt - sentAt;
    }
  }

  private record Step(long at, long number, Runnable what) {}

  private final List<Node> nodes = new ArrayList<>();
  private final List<List<Long>> sentAt = new ArrayList<>(); // by sender, by number
  private final PriorityQueue<Step> agenda =
      new PriorityQueue<>(Comparator.comparingLong(Step::at).thenComparingLong(Step::number));
  private final View view;
  private final Delay delay;
  private long steps;
  private long now;
  private long messages;

  TimedView(int members, Delay delay) {
    this.delay = delay;
    MemberId[] ids = new MemberId[members];
    for (int rank = 0; rank < members; rank++) {
      ids[rank] = Members.member("m" + rank, rank + 1);
    }
    this.view = Members.primary(1, ids);
    for (int rank = 0; rank < members; rank++) {
      nodes.add(new Node(rank));
      sentAt.add(new ArrayList<>());
    }
  }

  private void at(long time, Runnable what) {
    agenda.add(new Step(time, steps++, what));
  }

  /// A member multicasts a batch.
  void multicast(long time, int rank) {
    at(time, () -> nodes.get(rank).multicast());
  }

  /// Until nothing is on its way.
  void run() {
    for (Step step = agenda.poll(); step != null; step = agenda.poll()) {
      now = step.at;
      step.what.run();
    }
  }

  int members() {
    return nodes.size();
  }

  /// How many messages travelled, batches included.
  long messages() {
    return messages;
  }

  /// What became of all batches at a member, in the order of its places.
  List<Fate> fates(int rank) {
    return nodes.get(rank).fates;
  }

  /// Places as rank/number.
  List<String> places(int rank) {
    return nodes.get(rank).places;
  }

  private final class Node implements Effects<Skeen.Message> {
    final int rank;
    final Clock clock = new Clock();
    final Skeen skeen;
    final long[] arrivals = new long[view.size()]; // by receiver, when the last message of this member arrives there
    final List<List<Long>> decidedAt = new ArrayList<>(); // by sender, by number
    final List<Fate> fates = new ArrayList<>();
    final List<String> places = new ArrayList<>();

    Node(int rank) {
      this.rank = rank;
      view.members().forEach(_ -> decidedAt.add(new ArrayList<>()));
      this.skeen =
          new Skeen(
              new TotalOrder.Context(rank, view, 0, _ -> true, clock, _ -> false, Duration.ofMillis(100)),
              this,
              this::place);
    }

    void place(int sender, long seq) {
      places.add(sender + "/" + seq);
      // The sender decides in the step in which it can place; its broadcast comes at the end of that step.
      long decided = decidedAt.get(sender).size() > seq ? decidedAt.get(sender).get((int) seq) : now;
      fates.add(new Fate(sentAt.get(sender).get((int) seq), decided, now));
    }

    void multicast() {
      long seq = sentAt.get(rank).size();
      sentAt.get(rank).add(now);
      long stamp = clock.tick();
      for (Node other : nodes) {
        if (other != this) {
          travel(
              other,
              () -> {
                other.clock.witness(stamp);
                other.skeen.arrived(rank, seq, stamp);
              });
        }
      }
      skeen.arrived(rank, seq, stamp);
      skeen.flush();
    }

    private void travel(Node to, Runnable arrival) {
      messages++;
      arrivals[to.rank] = Math.max(arrivals[to.rank], now + delay.nanos(rank, to.rank));
      at(
          arrivals[to.rank],
          () -> {
            arrival.run();
            to.skeen.flush();
          });
    }

    @Override
    public void send(MemberId to, Skeen.Message message) {
      Node other = nodes.get(view.rankOf(to));
      travel(other, () -> other.take(rank, message));
    }

    @Override
    public void broadcast(Skeen.Message message) {
      learn(rank, message);
      for (Node other : nodes) {
        if (other != this) {
          travel(other, () -> other.take(rank, message));
        }
      }
    }

    private void take(int from, Skeen.Message message) {
      learn(from, message);
      try {
        skeen.receive(view.members().get(from), message);
      } catch (Malformed malformed) {
        throw new AssertionError("a member's message is refused", malformed);
      }
    }

    private void learn(int from, Skeen.Message message) {
      if (message instanceof Decided(List<Skeen.TimestampedRun> runs)) {
        runs.forEach(run -> {
          for (int i = 0; i < run.length(); i++) {
            decidedAt.get(from).add(now);
          }
        });
      }
    }

    @Override
    public void schedule(Effects.Timer timer, Duration after) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void cancel(Effects.Timer timer) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long nowNanos() {
      return now;
    }

    @Override
    public RandomGenerator random() {
      return new SplittableRandom(1);
    }
  }
}
