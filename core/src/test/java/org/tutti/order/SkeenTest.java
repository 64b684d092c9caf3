package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.primary;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect.Broadcast;
import org.tutti.effect.RecordingEffects.Effect.Sent;
import org.tutti.order.Skeen.Message.Decided;
import org.tutti.order.Skeen.Message.Proposed;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireReader;
import org.tutti.wire.WireWriter;

class SkeenTest {
  private static final View VIEW = primary(1, A, B, C);

  private final RecordingEffects<Skeen.Message> effects = new RecordingEffects<>();
  private final List<String> places = new ArrayList<>(); // rank/number, in their order
  private final Clock clock = new Clock();
  private final Skeen atB = new Skeen(at(1, VIEW), effects, (rank, seq) -> places.add(rank + "/" + seq));

  private TotalOrder.Context at(int self, View view) {
    return new TotalOrder.Context(self, view, 10, _ -> true, clock, _ -> false, Duration.ofMillis(100));
  }

  private static Proposed proposed(long seq, int length, long timestamp) {
    return new Proposed(new Skeen.TimestampedRun(seq, length, timestamp));
  }

  private static Decided decided(long... runs) {
    List<Skeen.TimestampedRun> list = new ArrayList<>();
    for (int i = 0; i < runs.length; i += 3) {
      list.add(new Skeen.TimestampedRun(runs[i], (int) runs[i + 1], runs[i + 2]));
    }
    return new Decided(list);
  }

  /// At B, batches of B come and go out; B's clock is just before a time.
  private void sends(long clockBefore, long first, int count) {
    clock.witness(clockBefore);
    arrive(1, first, count);
    atB.flush();
    effects.take();
  }

  private void arrive(int rank, long first, int count) {
    for (long seq = first; seq < first + count; seq++) {
      atB.arrived(rank, seq, 1);
    }
  }

  private void isRefused(MemberId from, Skeen.Message message) {
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> atB.receive(from, message));
  }

  @Test
  void aReceiverAnswersARunOfBatchesWithOneProposalToTheirSender() {
    clock.witness(6);
    arrive(0, 4, 3);
    arrive(2, 0, 1);
    assertThat(effects.take()).isEmpty();
    atB.flush();
    assertThat(effects.take()).containsExactly(new Sent<>(A, proposed(4, 3, 7)), new Sent<>(C, proposed(0, 1, 10)));
    atB.flush();
    assertThat(effects.take()).isEmpty();
    assertThat(places).isEmpty();
  }

  @Test
  void theSenderDecidesTheHighestProposalOfAll() throws Malformed {
    sends(4, 7, 1); // its own proposal is 5
    atB.receive(A, proposed(7, 1, 9));
    atB.flush();
    assertThat(effects.take()).isEmpty();
    atB.receive(C, proposed(7, 1, 2));
    assertThat(places).containsExactly("1/7");
    atB.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(decided(7, 1, 9)));
  }

  @Test
  void theHighestIsTakenBatchByBatchHoweverProposalsAreCut() throws Malformed {
    sends(0, 0, 4); // 1 2 3 4
    atB.receive(A, proposed(0, 1, 5));
    atB.receive(A, proposed(1, 3, 6)); // 5 6 7 8
    atB.receive(C, proposed(0, 2, 3));
    atB.receive(C, proposed(2, 2, 20)); // 3 4 20 21
    atB.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(decided(0, 2, 5, 2, 2, 20)));
    assertThat(places).containsExactly("1/0", "1/1", "1/2", "1/3");
  }

  @Test
  void aDecidedBatchWaitsForAPendingOneThatCouldComeBefore() throws Malformed {
    arrive(0, 0, 1);
    atB.flush(); // a0 gets 1 at least
    arrive(2, 0, 1);
    atB.flush(); // c0 gets 2 at least
    atB.receive(C, decided(0, 1, 5));
    assertThat(places).isEmpty();
    atB.receive(A, decided(0, 1, 8)); // a0 comes after c0
    assertThat(places).containsExactly("2/0", "0/0");
  }

  @Test
  void aPendingBatchThatIsStampedHigherHoldsNothingUp() throws Malformed {
    arrive(2, 0, 1);
    atB.flush();
    arrive(0, 0, 1);
    atB.flush();
    atB.receive(C, decided(0, 1, 1));
    assertThat(places).containsExactly("2/0");
  }

  @Test
  void whatASenderDecidedBeforeBoundsWhatIsPending() throws Malformed {
    arrive(0, 0, 2);
    atB.flush(); // a0 a1 get 1 and 2 at least
    arrive(2, 0, 1);
    atB.flush();
    atB.receive(A, decided(0, 1, 9)); // so a1 gets 10 at least
    atB.receive(C, decided(0, 1, 10));
    assertThat(places).containsExactly("0/0");
    atB.receive(A, decided(1, 1, 11));
    assertThat(places).containsExactly("0/0", "2/0", "0/1");
  }

  @Test
  void equalTimestampsAreOrderedByRank() throws Malformed {
    arrive(0, 0, 1);
    arrive(2, 0, 1);
    atB.flush();
    atB.receive(C, decided(0, 1, 7));
    atB.receive(A, decided(0, 1, 7));
    assertThat(places).containsExactly("0/0", "2/0");
  }

  @Test
  void decidedRunsOfTwoSendersAreInterleaved() throws Malformed {
    arrive(0, 0, 3);
    arrive(2, 0, 3);
    atB.flush();
    atB.receive(C, decided(0, 3, 6)); // 6 7 8
    atB.receive(A, decided(0, 2, 5, 2, 1, 8)); // 5 6 8
    assertThat(places).containsExactly("0/0", "0/1", "2/0", "2/1", "0/2", "2/2");
  }

  @Test
  void whatComesAfterADecisionIsProposedMore() throws Malformed {
    arrive(0, 0, 1);
    arrive(2, 0, 1);
    atB.flush();
    effects.take();
    arrive(2, 1, 1); // here, but not proposed yet
    atB.receive(A, decided(0, 1, 50));
    atB.flush();
    assertThat(effects.take()).containsExactly(new Sent<>(C, proposed(1, 1, 51)));
  }

  @Test
  void oneAloneDecidesAtOnce() {
    var alone = new Skeen(at(0, primary(1, B)), effects, (rank, seq) -> places.add(rank + "/" + seq));
    alone.arrived(0, 3, 1);
    alone.flush();
    assertThat(places).containsExactly("0/3");
  }

  @Test
  void afterASwitchItGoesOnToProposeAndToDecide() throws Malformed {
    atB.retire();
    arrive(0, 0, 1);
    arrive(1, 0, 1);
    atB.flush();
    assertThat(effects.take()).containsExactly(new Sent<>(A, proposed(0, 1, 1)));
    atB.receive(A, proposed(0, 1, 2));
    atB.receive(C, proposed(0, 1, 2));
    atB.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(decided(0, 1, 2)));
  }

  @Test
  void proposalsForAnythingButTheNextBatchesAreRefused() throws Malformed {
    isRefused(A, proposed(0, 1, 5)); // nothing was sent
    sends(0, 3, 4);
    isRefused(A, proposed(2, 1, 5));
    isRefused(A, proposed(4, 1, 5));
    isRefused(A, proposed(3, 5, 5));
    atB.receive(A, proposed(3, 2, 5)); // 5 6
    isRefused(A, proposed(3, 2, 7));
    isRefused(A, proposed(6, 1, 7));
    isRefused(A, proposed(5, 1, 6)); // does not rise
    isRefused(B, proposed(5, 1, 7));
    isRefused(D, proposed(5, 1, 7));
    atB.receive(A, proposed(5, 2, 7));
    atB.receive(C, proposed(3, 4, 1));
    assertThat(places).containsExactly("1/3", "1/4", "1/5", "1/6");
  }

  @Test
  void decisionsThatNobodyCouldHaveTakenAreRefusedWhole() throws Malformed {
    isRefused(A, decided(0, 1, 5)); // not here
    clock.witness(9);
    arrive(0, 2, 3);
    atB.flush(); // 10 11 12
    isRefused(A, decided());
    isRefused(A, decided(3, 1, 20));
    isRefused(A, decided(2, 4, 20));
    isRefused(A, decided(2, 1, 20, 4, 1, 30)); // a gap
    isRefused(A, decided(2, 2, 20, 4, 1, 21)); // does not rise
    isRefused(A, decided(2, 1, 9)); // below what was proposed here
    isRefused(A, decided(2, 1, 10, 3, 1, 10));
    isRefused(B, decided(2, 1, 20));
    isRefused(C, decided(2, 1, 20));
    assertThat(places).isEmpty();
    atB.receive(A, decided(2, 1, 10, 3, 2, 20));
    assertThat(places).containsExactly("0/2", "0/3", "0/4");
    isRefused(A, decided(2, 1, 30));
  }

  @Test
  void moreThanARunHoldsIsProposedInSeveral() {
    arrive(0, 0, Skeen.TimestampedRun.LENGTH_MAX + 1);
    atB.flush();
    assertThat(effects.take())
        .containsExactly(
            new Sent<>(A, proposed(0, Skeen.TimestampedRun.LENGTH_MAX, 1)),
            new Sent<>(A, proposed(Skeen.TimestampedRun.LENGTH_MAX, 1, Skeen.TimestampedRun.LENGTH_MAX + 1)));
  }

  /// Whatever members say: it is refused, or batches are placed once and in their senders' order.
  @Test
  void nothingThatIsSaidDisturbsTheSendersOrder() {
    var random = new SplittableRandom(7);
    int refused = 0;
    long[] next = new long[VIEW.size()];
    long[][] taken = new long[2][VIEW.size()]; // by kind and rank, behind what was not refused
    for (int i = 0; i < 100_000; i++) {
      int rank = random.nextInt(VIEW.size());
      if (random.nextInt(4) == 0) {
        atB.arrived(rank, next[rank]++, 1);
        atB.flush();
        effects.take();
      }
      int kind = random.nextInt(2);
      long seq = Math.max(0, taken[kind][rank] + random.nextInt(3) - 1);
      var run = new Skeen.TimestampedRun(seq, 1 + random.nextInt(3), Math.max(0, clock.now() + random.nextInt(12) - 4));
      try {
        atB.receive(VIEW.members().get(rank), kind == 0 ? new Proposed(run) : new Decided(List.of(run)));
        taken[kind][rank] = run.end();
      } catch (Malformed expected) {
        refused++;
      }
    }
    assertThat(refused).isBetween(50_000, 99_000);
    for (int rank = 0; rank < next.length; rank++) {
      String of = rank + "/";
      List<String> its = places.stream().filter(place -> place.startsWith(of)).toList();
      assertThat(its).isEqualTo(LongStream.range(0, its.size()).mapToObj(seq -> of + seq).toList());
    }
    assertThat(places).hasSizeGreaterThan(1000);
  }

  private static Skeen.Message reread(Skeen.Message message) throws Malformed {
    var out = new WireWriter();
    Skeen.CODEC.write(message, out);
    var in = new WireReader(out.copy());
    Skeen.Message read = Skeen.CODEC.read(in);
    in.end();
    return read;
  }

  @Test
  void messagesAreReadAsTheyAreWritten() throws Malformed {
    Proposed proposal = proposed(1L << 40, Skeen.TimestampedRun.LENGTH_MAX, 1L << 50);
    Decided decision = decided(0, 1, 1, 1, 3, 1L << 50);
    assertThat(reread(proposal)).isEqualTo(proposal);
    assertThat(reread(decision)).isEqualTo(decision);
  }

  @Test
  void nonsenseIsNotRead() {
    byte[][] nonsense = {
      {}, {0}, {3, 0, 1, 1}, {1, 0, 1}, {1, 0, 0, 1}, {1, 0, -1, -1, -1, 1, 1}, {2, 2, 0, 1, 1}, {2, 1, 0, 0, 1}
    };
    for (byte[] bytes : nonsense) {
      assertThatExceptionOfType(Malformed.class)
          .isThrownBy(() -> Skeen.CODEC.read(new WireReader(ByteBuffer.wrap(bytes))));
    }
  }
}
