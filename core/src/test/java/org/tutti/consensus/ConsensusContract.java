package org.tutti.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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

/// What every consensus owes ([Consensus]): agreement, validity, integrity, termination while a quorum lives. One
/// instance of it at each member, joined by links that lose nothing and keep the order; every interleaving, crash and
/// suspicion is drawn from a seed.
///
/// Values are numbers: 1000 times the proposer's rank, plus how many it has proposed.
///
/// @param <M> the messages
public abstract class ConsensusContract<M> {
  private static final int RUNS = 80;
  private static final long MILLI = 1_000_000;
  private static final int VALUES_OF_ONE = 1000;
  private static final Duration PATIENCE = Duration.ofMillis(100);

  /// The bytes of a value.
  protected static final Codec<Long> NUMBER =
      new Codec<>() {
        @Override
        public void write(Long value, WireWriter out) {
          out.count(value);
        }

        @Override
        public Long read(WireReader in) throws Malformed {
          return in.count();
        }
      };

  /// Makes the consensus under test.
  protected abstract Consensus<M> create(Consensus.Panel panel, Effects<M> effects, Consensus.User<Long> user);

  /// Its codec.
  protected abstract Codec<M> codec();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7})
  void whatIsWantedIsDecidedByAll(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(300, 0, 0);
      run.calm();
      run.checkSafety();
      run.checkTermination();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 7})
  void agreementDoesNotDependOnWhoIsSuspected(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(600, 0, 1 + seed % 8);
      run.checkSafety();
      run.calm();
      run.checkSafety();
      run.checkTermination();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5, 7})
  void aMinorityMayCrash(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(400, 1 + seed % ((members - 1) / 2), seed % 4);
      run.calm();
      run.checkSafety();
      run.checkTermination();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void withoutAQuorumNothingIsDecidedTwice(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(400, members - 1, 2);
      run.calm();
      run.checkSafety();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void nobodyNeedsADetectorThatKnows(int members) {
    for (int seed = 0; seed < RUNS; seed++) {
      var run = new Run(members, seed);
      run.play(400, members / 2, 0);
      run.nobodySuspects();
      run.drain();
      run.checkSafety();
      run.checkTermination();
    }
  }

  /// A view from its beginning to the time when nothing is left to do.
  private final class Run {
    final View view;
    final List<Node> nodes = new ArrayList<>();
    final SplittableRandom random;
    final List<List<Long>> proposed = new ArrayList<>(); // by instance
    int wanted;
    long now;

    Run(int members, int seed) {
      var ids = new ArrayList<MemberId>();
      for (int i = 0; i < members; i++) {
        ids.add(Members.member("m" + i, i + 1));
      }
      this.view = Members.primary(1, ids.toArray(MemberId[]::new));
      this.random = new SplittableRandom(seed);
      for (int rank = 0; rank < members; rank++) {
        nodes.add(new Node(this, rank));
      }
    }

    boolean isQuorum(IntPredicate ranks) {
      int count = (int) IntStream.range(0, view.size()).filter(ranks).count();
      return 2 * count > view.size() || 2 * count == view.size() && ranks.test(0);
    }

    void play(int steps, int crashes, int suspicions) {
      int crashesLeft = crashes;
      for (int step = 0; step < steps; step++) {
        Node node = nodes.get(random.nextInt(nodes.size()));
        int what = random.nextInt(16);
        if (what == 0) {
          wanted++;
        } else if (what < 4) {
          node.flush();
        } else if (what == 4 && crashesLeft > 0 && random.nextInt(4) == 0 && node.alive) {
          node.crash();
          crashesLeft--;
        } else if (what == 5) {
          advance(random.nextLong(PATIENCE.toNanos()));
        } else if (what == 6 && random.nextInt(8) < suspicions) {
          node.suspectSomeone();
        } else if (what == 7 && random.nextInt(4) == 0) {
          int other = random.nextInt(nodes.size());
          node.slow[other] = !node.slow[other];
        } else {
          node.arrival();
        }
      }
    }

    /// From now on who is suspected is who has crashed.
    void calm() {
      nobodySuspects();
      for (Node node : nodes) {
        for (int rank = 0; rank < nodes.size(); rank++) {
          node.suspected[rank] = !nodes.get(rank).alive;
        }
        node.consensus.suspicionChanged();
      }
      drain();
    }

    void nobodySuspects() {
      nodes.forEach(node -> Arrays.fill(node.suspected, false));
    }

    void advance(long nanos) {
      now += nanos;
      nodes.forEach(Node::expire);
    }

    /// Until nothing is on the way and no timer is set.
    void drain() {
      nodes.forEach(node -> Arrays.fill(node.slow, false));
      long end = now + Duration.ofMinutes(5).toNanos();
      boolean busy = true;
      while (busy && now < end) {
        busy = false;
        for (Node node : nodes) {
          while (node.arrival()) {
            busy = true;
          }
          busy |= node.flush() || node.alive && node.timerAt >= 0;
        }
        advance(5 * MILLI);
      }
    }

    void checkSafety() {
      List<Long> longest = List.of();
      for (Node node : nodes) {
        longest = node.decided.size() > longest.size() ? node.decided : longest;
      }
      for (Node node : nodes) {
        assertThat(node.decided).isEqualTo(longest.subList(0, node.decided.size()));
      }
      for (int instance = 0; instance < longest.size(); instance++) {
        assertThat(proposed.get(instance)).contains(longest.get(instance));
      }
    }

    void checkTermination() {
      for (Node node : nodes) {
        if (node.alive) {
          assertThat(node.decided.size())
              .as("decisions at %s of %s", node.rank, view.size())
              .isGreaterThanOrEqualTo(wanted);
        }
      }
    }
  }

  private final class Node implements Effects<M>, Consensus.User<Long> {
    final Run run;
    final int rank;
    final List<ArrayDeque<byte[]>> in = new ArrayList<>(); // by sender
    final List<Long> decided = new ArrayList<>();
    final boolean[] suspected;
    final boolean[] slow; // nothing comes from there for a while
    final Consensus<M> consensus;
    boolean alive = true;
    long timerAt = -1;
    private long own;
    private long nextInstance;
    private boolean sentAny;

    Node(Run run, int rank) {
      this.run = run;
      this.rank = rank;
      this.suspected = new boolean[run.view.size()];
      this.slow = new boolean[run.view.size()];
      run.view.members().forEach(_ -> in.add(new ArrayDeque<>()));
      var panel = new Consensus.Panel(rank, run.view, run::isQuorum, other -> suspected[other], PATIENCE);
      this.consensus = create(panel, this, this);
    }

    // ---- the user --------------------------------------------------------------------------------------------------

    @Override
    public void lead(List<Long> before) {
      nextInstance = decided.size() + before.size();
    }

    @Override
    public @Nullable Long propose(long instance) {
      assertThat(instance).isEqualTo(nextInstance);
      if (instance >= run.wanted) {
        return null;
      }
      nextInstance++;
      long value = (long) rank * VALUES_OF_ONE + own++;
      while (run.proposed.size() <= instance) {
        run.proposed.add(new ArrayList<>());
      }
      run.proposed.get((int) instance).add(value);
      return value;
    }

    @Override
    public boolean isWaiting() {
      return decided.size() < run.wanted;
    }

    @Override
    public void decided(long instance, Long value) {
      assertThat(instance).isEqualTo(decided.size());
      decided.add(value);
    }

    // ---- the world -------------------------------------------------------------------------------------------------

    /// Takes one message of somebody.
    ///
    /// @return whether there was any
    boolean arrival() {
      int first = run.random.nextInt(in.size());
      for (int i = 0; i < in.size() && alive; i++) {
        int from = (first + i) % in.size();
        byte[] message = slow[from] ? null : in.get(from).poll();
        if (message != null) {
          take(from, message);
          return true;
        }
      }
      return false;
    }

    private void take(int from, byte[] bytes) {
      try {
        var reader = new WireReader(ByteBuffer.wrap(bytes));
        M message = codec().read(reader);
        reader.end();
        consensus.receive(run.view.members().get(from), message);
      } catch (Malformed malformed) {
        throw new AssertionError("a member's message is refused", malformed);
      }
    }

    /// Ends a run of inputs.
    ///
    /// @return whether anything was sent since the last time
    boolean flush() {
      if (alive) {
        consensus.flush();
      }
      boolean any = sentAny;
      sentAny = false;
      return any;
    }

    void expire() {
      if (alive && timerAt >= 0 && timerAt <= run.now) {
        timerAt = -1;
        consensus.expire();
      }
    }

    /// Stops; of what it has sent, each receiver gets a part.
    void crash() {
      alive = false;
      for (Node other : run.nodes) {
        ArrayDeque<byte[]> queue = other.in.get(rank);
        for (int lost = run.random.nextInt(queue.size() + 1); lost > 0; lost--) {
          queue.removeLast();
        }
      }
    }

    void suspectSomeone() {
      int other = run.random.nextInt(suspected.length);
      if (alive && other != rank) {
        suspected[other] = !suspected[other];
        consensus.suspicionChanged();
      }
    }

    @Override
    public void send(MemberId to, M message) {
      var out = new WireWriter();
      codec().write(message, out);
      byte[] bytes = new byte[out.length()];
      out.copy().get(bytes);
      post(run.nodes.get(run.view.rankOf(to)), bytes);
    }

    private void post(Node to, byte[] bytes) {
      if (alive) {
        to.in.get(rank).add(bytes);
        sentAny = true;
      }
    }

    @Override
    public void broadcast(M message) {
      for (Node other : run.nodes) {
        if (other != this) {
          send(run.view.members().get(other.rank), message);
        }
      }
    }

    @Override
    public void schedule(Effects.Timer timer, Duration after) {
      timerAt = run.now + after.toNanos();
    }

    @Override
    public void cancel(Effects.Timer timer) {
      timerAt = -1;
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
