package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.View;
import org.tutti.effect.Effects;
import org.tutti.wire.Codec;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

/// What every ordering owes within one view: one instance at each member, joined by links
/// that lose nothing and keep the order, everything interleaved at random from a seed; members crash in the middle of
/// their sending, and anybody may be suspected wrongly.
///
/// @param <M> the ordering's messages
public abstract class TotalOrderContract<M> {
  private static final int RUNS = 60;
  private static final long MILLI = 1_000_000;

  /// Makes the ordering under test.
  protected abstract TotalOrder<M> create(TotalOrder.Context context, Effects<M> effects, TotalOrder.Places places);

  /// Its codec.
  protected abstract Codec<M> codec();

  /// Whether batches are placed as long as a quorum lives; otherwise only as long as all do.
  protected boolean survivesCrashes() {
    return false;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7})
  void everyBatchIsPlacedAtAllInOneOrder(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(200, 0, false);
      run.drain();
      run.checkOrder();
      run.checkComplete();
    }
  }

  /// Batches reach the ordering as they leave the [HoldBackQueue]: after everything that had arrived at their senders.
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void causesComeFirst(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.causal = true;
      run.play(200, 0, false);
      run.drain();
      run.checkOrder();
      run.checkComplete();
      run.checkCauses();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void wrongSuspicionsChangeNothingOfIt(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(200, 0, true);
      run.calm();
      run.drain();
      run.checkOrder();
      run.checkComplete();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void whateverACrashCutsOffAllKnowPrefixesOfOneOrder(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(100, 1 + seed % ((members + 1) / 2), true);
      run.drain();
      run.checkOrder();
      if (survivesCrashes()) {
        run.checkComplete();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void aRetiredMemberLeadsTheOthersToTheSwitchAndNotBeyond(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.switchAt = new SplittableRandom(seed).nextInt(60);
      run.play(200, 0, false);
      run.drain();
      run.checkOrder();
      run.checkSwitched();
    }
  }

  /// One view from its beginning.
  private final class Run {
    final View view;
    final List<Node> nodes = new ArrayList<>();
    final SplittableRandom random;
    int switchAt = Integer.MAX_VALUE; // a place, counted from 0
    boolean causal;
    final Map<String, long[]> pasts = new HashMap<>(); // looked up only
    int submitted;
    long now;

    Run(int members, int seed) {
      List<MemberId> ids = new ArrayList<>();
      for (int i = 0; i < members; i++) {
        ids.add(Members.member("m" + i, i + 1));
      }
      this.view = primary(1, ids.toArray(MemberId[]::new));
      this.random = new SplittableRandom(seed);
      for (int rank = 0; rank < members; rank++) {
        nodes.add(new Node(this, rank));
      }
    }

    void play(int steps, int crashes, boolean suspicions) {
      int crashesLeft = crashes;
      for (int step = 0; step < steps; step++) {
        Node node = nodes.get(random.nextInt(nodes.size()));
        switch (random.nextInt(8)) {
          case 0, 1 -> node.submit();
          case 2 -> node.flush();
          case 3 -> {
            if (crashesLeft > 0 && random.nextInt(10) == 0 && node.alive) {
              node.crash();
              crashesLeft--;
            }
          }
          case 4 -> {
            if (suspicions) {
              node.suspectSomeone();
            }
          }
          case 5 -> advance(random.nextLong(20 * MILLI));
          default -> node.arrival();
        }
      }
    }

    /// Who is suspected is who has crashed.
    void calm() {
      for (Node node : nodes) {
        for (int rank = 0; rank < nodes.size(); rank++) {
          node.suspected[rank] = !nodes.get(rank).alive;
        }
        if (node.alive) {
          node.order.suspicionChanged();
        }
      }
    }

    void advance(long nanos) {
      now += nanos;
      nodes.forEach(Node::expire);
    }

    /// Until nothing is on the way, and for a while beyond, so that timers have their say.
    void drain() {
      calm();
      int quiet = 0;
      for (int guard = 0; quiet < 40; guard++) {
        assertThat(guard).as("comes to rest").isLessThan(1_000_000);
        boolean busy = false;
        for (Node node : nodes) {
          while (node.arrival()) {
            busy = true;
          }
          busy |= node.flush();
        }
        advance(50 * MILLI);
        quiet = busy ? 0 : quiet + 1;
      }
    }

    void checkOrder() {
      List<String> longest = new ArrayList<>();
      for (Node node : nodes) {
        if (node.placed.size() > longest.size()) {
          longest = node.placed;
        }
      }
      for (Node node : nodes) {
        assertThat(node.placed).isEqualTo(longest.subList(0, node.placed.size()));
        assertThat(node.placed).doesNotHaveDuplicates();
      }
      long[] next = new long[nodes.size()];
      for (String place : longest) {
        String[] parts = place.split("/");
        int rank = Integer.parseInt(parts[0]);
        assertThat(Long.parseLong(parts[1])).as("first in, first out of " + rank).isEqualTo(next[rank]++);
      }
      for (int rank = 0; rank < next.length; rank++) {
        assertThat(next[rank]).as("only what was sent").isLessThanOrEqualTo(nodes.get(rank).sent);
      }
    }

    void checkCauses() {
      long[] next = new long[nodes.size()];
      for (String place : nodes.getFirst().placed) {
        long[] past = pasts.get(place);
        for (int rank = 0; rank < next.length; rank++) {
          assertThat(next[rank]).as("of %s before %s", rank, place).isGreaterThanOrEqualTo(past[rank]);
        }
        next[Integer.parseInt(place.split("/")[0])]++;
      }
    }

    void checkComplete() {
      for (Node node : nodes) {
        for (Node sender : nodes) {
          if (node.alive && sender.alive) {
            long placed = node.placed.stream().filter(place -> place.startsWith(sender.rank + "/")).count();
            assertThat(placed).as("batches of %s at %s", sender.rank, node.rank).isEqualTo(sender.sent);
          }
        }
      }
    }

    void checkSwitched() {
      if (submitted > switchAt) {
        nodes.forEach(node -> assertThat(node.placed).hasSize(switchAt + 1));
      }
    }
  }

  /// What is on its way: a batch with its stamp, or a message.
  private record Parcel(int from, long seq, long stamp, byte[] message) {}

  private final class Node implements Effects<M> {
    final Run run;
    final int rank;
    final List<ArrayDeque<Parcel>> in = new ArrayList<>(); // by sender
    final List<String> placed = new ArrayList<>();
    final List<ArrayDeque<Parcel>> room = new ArrayList<>(); // batches that came before their causes, by sender
    final long[] arrived; // batches told to the ordering, by sender
    final boolean[] suspected;
    final TreeMap<String, Long> timers = new TreeMap<>();
    final Clock clock = new Clock();
    final TotalOrder<M> order;
    boolean alive = true;
    boolean retired;
    boolean said;
    long sent;

    Node(Run run, int rank) {
      this.run = run;
      this.rank = rank;
      this.suspected = new boolean[run.view.size()];
      this.arrived = new long[run.view.size()];
      run.view.members().forEach(_ -> in.add(new ArrayDeque<>()));
      run.view.members().forEach(_ -> room.add(new ArrayDeque<>()));
      int quorum = run.view.size() / 2 + 1;
      var context =
          new TotalOrder.Context(
              rank,
              run.view,
              10,
              ranks -> java.util.stream.IntStream.range(0, run.view.size()).filter(ranks).count() >= quorum,
              clock,
              other -> suspected[other],
              Duration.ofMillis(100));
      this.order = create(context, this, this::place);
    }

    private void place(int of, long seq) {
      if (!retired) {
        placed.add(of + "/" + seq);
        if (placed.size() > run.switchAt) {
          retired = true; // told at the end of the step, as the engine does
        }
      }
    }

    void submit() {
      if (alive) {
        long stamp = clock.tick();
        long seq = sent++;
        run.pasts.put(rank + "/" + seq, arrived.clone());
        arrived[rank]++;
        run.submitted++;
        post(new Parcel(rank, seq, stamp, null));
        order.arrived(rank, seq, stamp);
        settle();
      }
    }

    private void post(Parcel parcel) {
      for (Node other : run.nodes) {
        if (other != this && other.alive) {
          other.in.get(rank).add(parcel);
        }
      }
    }

    private void settle() {
      if (retired && !said) {
        said = true;
        order.retire();
      }
    }

    /// Takes one parcel of one sender.
    ///
    /// @return whether there was any
    boolean arrival() {
      int first = run.random.nextInt(in.size());
      for (int i = 0; i < in.size() && alive; i++) {
        int from = (first + i) % in.size();
        Parcel parcel = in.get(from).poll();
        if (parcel != null) {
          take(parcel);
          settle();
          return true;
        }
      }
      return false;
    }

    private void take(Parcel parcel) {
      if (parcel.message == null) {
        room.get(parcel.from).add(parcel);
        admit();
        return;
      }
      try {
        var reader = new WireReader(ByteBuffer.wrap(parcel.message));
        M message = codec().read(reader);
        reader.end();
        order.receive(run.view.members().get(parcel.from), message);
      } catch (Malformed malformed) {
        throw new AssertionError("a member's message is refused", malformed);
      }
    }

    private void admit() {
      for (int from = 0; from < arrived.length; from++) {
        Parcel first = room.get(from).peek();
        if (first != null && mayArrive(run.pasts.get(from + "/" + first.seq))) {
          room.get(from).remove();
          arrived[from]++;
          clock.witness(first.stamp);
          order.arrived(from, first.seq, first.stamp);
          from = -1; // it may be what others wait for
        }
      }
    }

    private boolean mayArrive(long[] past) {
      for (int of = 0; run.causal && of < past.length; of++) {
        if (arrived[of] < past[of]) {
          return false;
        }
      }
      return true;
    }

    /// Ends a run of inputs.
    ///
    /// @return whether anything was sent
    boolean flush() {
      if (!alive) {
        return false;
      }
      int before = posted;
      order.flush();
      settle();
      return posted > before;
    }

    void expire() {
      while (alive && !timers.isEmpty()) {
        String due =
            timers.entrySet().stream()
                .filter(timer -> timer.getValue() <= run.now)
                .map(java.util.Map.Entry::getKey)
                .findFirst()
                .orElse(null);
        if (due == null) {
          return;
        }
        timers.remove(due);
        order.expire(new Effects.Timer(due));
        settle();
      }
    }

    /// Stops; of what it has sent, each receiver gets a part.
    void crash() {
      alive = false;
      for (Node other : run.nodes) {
        ArrayDeque<Parcel> queue = other.in.get(rank);
        int lost = run.random.nextInt(queue.size() + 1);
        for (int i = 0; i < lost; i++) {
          queue.removeLast();
        }
      }
    }

    void suspectSomeone() {
      if (alive) {
        int other = run.random.nextInt(suspected.length);
        suspected[other] = !suspected[other] && other != rank;
        order.suspicionChanged();
        settle();
      }
    }

    private int posted;

    @Override
    public void send(MemberId to, M message) {
      Parcel parcel = new Parcel(rank, 0, 0, bytes(message));
      posted++;
      Node other = run.nodes.get(run.view.rankOf(to));
      if (other.alive) {
        other.in.get(rank).add(parcel);
      }
    }

    @Override
    public void broadcast(M message) {
      posted++;
      post(new Parcel(rank, 0, 0, bytes(message)));
    }

    private byte[] bytes(M message) {
      var out = new WireWriter();
      codec().write(message, out);
      ByteBuffer copy = out.copy();
      byte[] bytes = new byte[copy.remaining()];
      copy.get(bytes);
      return bytes;
    }

    @Override
    public void schedule(Effects.Timer timer, Duration after) {
      timers.put(timer.name(), run.now + after.toNanos());
    }

    @Override
    public void cancel(Effects.Timer timer) {
      timers.remove(timer.name());
    }

    @Override
    public long nowNanos() {
      return run.now;
    }

    @Override
    public RandomGenerator random() {
      return run.random;
    }
  }
}
