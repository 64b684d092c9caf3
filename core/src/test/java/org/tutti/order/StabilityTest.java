package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Guarantee;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.View;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect.Broadcast;
import org.tutti.effect.RecordingEffects.Effect.Sent;
import org.tutti.membership.DynamicLinearVoting;
import org.tutti.order.Stability.Message.Progress;

class StabilityTest {
  private static final long UNHURRIED_BYTES = 1000;

  private final RecordingEffects<Stability.Message> effects = new RecordingEffects<>();

  private static MemberId[] members(int size) {
    return IntStream.range(0, size).mapToObj(i -> Members.member("m" + i, i + 1)).toArray(MemberId[]::new);
  }

  private Stability of(int size, int self, Guarantee guarantee, long indexFirst) {
    return of(Members.primary(1, members(size)), self, guarantee, indexFirst);
  }

  private Stability of(View view, int self, Guarantee guarantee, long indexFirst) {
    return new Stability(
        self,
        view,
        indexFirst,
        guarantee,
        ranks -> new DynamicLinearVoting().isQuorum(view, ranks),
        UNHURRIED_BYTES,
        effects);
  }

  /// What each member holds, in the order of ranks; and what the member of a rank may deliver.
  @ParameterizedTest(name = "{0}: {1} at rank {2}")
  @CsvSource({
    "alone,                            '9',             0, 9",
    "two need both when junior ahead,  '3 9',           1, 3",
    "half with the most senior is one, '9 3',           0, 9",
    "two the junior hears the senior,  '9 5',           1, 5",
    "three need two,                   '9 7 0',         0, 7",
    "three the median,                 '2 9 5',         1, 5",
    "four need three without senior,   '1 9 8 7',       1, 7",
    "four half with the senior,        '9 8 1 0',       0, 8",
    "four half without the senior,     '0 8 9 1',       2, 1",
    "five need three,                  '1 9 8 7 2',     2, 7",
    "six half with the senior,         '9 8 7 1 1 1',   0, 7",
    "six half without the senior,      '1 8 7 9 2 2',   3, 2",
    "seven need four,                  '9 8 7 6 5 4 3', 0, 6",
    "never more than one holds,        '2 9 9 9 9 9 9', 0, 2"
  })
  void uniformDeliveryWaitsForAQuorum(String what, String held, int self, long decided) {
    long[] indexes = Arrays.stream(held.split(" ")).mapToLong(Long::parseLong).toArray();
    Stability stability = of(indexes.length, self, Guarantee.UNIFORM, 0);
    for (int rank = 0; rank < indexes.length; rank++) {
      if (rank == self) {
        stability.progress(indexes[rank], 0);
      } else {
        stability.receive(rank, new Progress(indexes[rank], 0));
      }
    }
    assertThat(stability.decidedNext()).as(what).isEqualTo(decided);
  }

  @Test
  void agreedDeliveryNeedsOnlyWhatIsHere() {
    Stability stability = of(5, 2, Guarantee.AGREED, 0);
    stability.progress(4, 0);
    stability.receive(0, new Progress(9, 0));
    assertThat(stability.decidedNext()).isEqualTo(4);
  }

  @Test
  void whatIsDecidedStaysSo() {
    Stability stability = of(3, 0, Guarantee.UNIFORM, 0);
    stability.progress(5, 0);
    stability.receive(1, new Progress(5, 0));
    assertThat(stability.decidedNext()).isEqualTo(5);
    stability.receive(1, new Progress(3, 0)); // old news that came late
    assertThat(stability.decidedNext()).isEqualTo(5);
  }

  @Test
  void oldNewsChangesNothing() {
    Stability stability = of(2, 0, Guarantee.UNIFORM, 0);
    stability.progress(9, 9);
    stability.receive(1, new Progress(7, 6));
    stability.receive(1, new Progress(3, 2));
    assertThat(stability.heldByAll()).isEqualTo(7);
    assertThat(stability.consumedByAll()).isEqualTo(6);
  }

  @Test
  void aViewBeginsWhereTheHistoryStands() {
    Stability stability = of(3, 1, Guarantee.UNIFORM, 70);
    assertThat(stability.decidedNext()).isEqualTo(70);
    assertThat(stability.heldByAll()).isEqualTo(70);
  }

  @Test
  void onlyWhatAllHoldMayBeForgotten() {
    Stability stability = of(3, 0, Guarantee.UNIFORM, 0);
    stability.progress(9, 0);
    stability.receive(1, new Progress(7, 0));
    assertThat(stability.heldByAll()).isZero();
    stability.receive(2, new Progress(4, 0));
    assertThat(stability.heldByAll()).isEqualTo(4);
  }

  @Test
  void theWindowOpensWhenAllHaveConsumed() {
    Stability stability = of(3, 0, Guarantee.UNIFORM, 0);
    stability.progress(9, 9);
    stability.receive(1, new Progress(9, 7));
    assertThat(stability.consumedByAll()).isZero();
    stability.receive(2, new Progress(9, 8));
    assertThat(stability.consumedByAll()).isEqualTo(7);
  }

  @Test
  void theWindowDoesNotWaitForAnObserverButItsBatchesAreKept() {
    View all = Members.primary(1, members(3));
    View view = new View(all.id(), all.members(), 2, true, List.of());
    Stability stability = of(view, 0, Guarantee.UNIFORM, 0);
    stability.progress(9, 9);
    stability.receive(1, new Progress(9, 7));
    assertThat(stability.consumedByAll()).isEqualTo(7);
    assertThat(stability.heldByAll()).isZero();
    stability.receive(2, new Progress(4, 3));
    assertThat(stability.consumedByAll()).isEqualTo(7);
    assertThat(stability.heldByAll()).isEqualTo(4);
  }

  @Test
  void newsIsToldOnceForARunOfInputs() {
    Stability stability = of(3, 0, Guarantee.UNIFORM, 0);
    stability.progress(1, 0);
    stability.progress(2, 1);
    stability.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Progress(2, 1)));
    stability.progress(2, 1);
    stability.flush();
    assertThat(effects.take()).isEmpty();
    stability.progress(3, 1);
    stability.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Progress(3, 1)));
  }

  @Test
  void ofThreeTheReceiversAnswerTheSequencerAtOnceAndEachOtherLater() {
    Stability stability = of(3, 1, Guarantee.UNIFORM, 0);
    stability.receive(0, new Progress(1, 0));
    stability.progress(1, 1);
    stability.flush();
    assertThat(effects.take()).containsExactly(new Sent<>(members(3)[0], new Progress(1, 1)));
    assertThat(stability.deadline()).isEqualTo(Stability.UNHURRIED_NANOS);
    effects.now = Stability.UNHURRIED_NANOS;
    stability.flush();
    assertThat(effects.take()).containsExactly(new Sent<>(members(3)[2], new Progress(1, 1)));
    assertThat(stability.deadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void ofFiveAMemberTellsAllUntilItKnowsOfTwoOthers() {
    Stability stability = of(5, 1, Guarantee.UNIFORM, 0);
    stability.receive(0, new Progress(2, 0));
    stability.receive(2, new Progress(1, 0));
    stability.progress(1, 0);
    stability.flush();
    assertThat(effects.take()) // each of 3 and 4 is three of five with 0 and 2; these two need this one's word
        .containsExactly(new Sent<>(members(5)[0], new Progress(1, 0)), new Sent<>(members(5)[2], new Progress(1, 0)));
    stability.progress(2, 0);
    stability.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Progress(2, 0)));
  }

  @Test
  void agreedDeliveryIsInNoHurry() {
    Stability stability = of(3, 1, Guarantee.AGREED, 0);
    stability.progress(1, 0);
    stability.flush();
    assertThat(effects.take()).isEmpty();
    stability.progress(Stability.UNHURRIED_BATCHES, 0);
    stability.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Progress(Stability.UNHURRIED_BATCHES, 0)));
  }

  @Test
  void aPartOfTheWindowIsToldAtOnce() {
    Stability stability = of(3, 1, Guarantee.AGREED, 0);
    stability.progress(1, 1);
    stability.delivered(UNHURRIED_BYTES - 1);
    stability.flush();
    assertThat(effects.take()).isEmpty();
    stability.delivered(1);
    stability.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Progress(1, 1)));
  }
}
