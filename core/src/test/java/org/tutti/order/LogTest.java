package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.batch;
import static org.tutti.Members.primary;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.Invariant;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.pack.Batch;
import org.tutti.pack.CausalPast;

class LogTest {
  private static final View VIEW = primary(1, A, B, C);
  private static final int SELF = 2;
  private static final int FIRST = 10;

  private final List<Ordering> switches = new ArrayList<>();
  private final Log log = new Log(VIEW, SELF, FIRST, Ordering.SEQUENCER, switches::add);

  private void has(int rank, long... numbers) {
    for (long seq : numbers) {
      assertThat(log.add(rank, batch(VIEW.members().get(rank), seq))).isTrue();
    }
  }

  private void placed(int rank, long... numbers) {
    for (long seq : numbers) {
      log.place(rank, seq);
    }
  }

  private static Cut cut(long base, boolean whole, Run... places) {
    return new Cut(VIEW.id(), base, List.of(places), whole, List.of(A, B, C), true);
  }

  @Test
  void isHeldOnceBothPlaceAndBatchAreHere() {
    has(0, 5);
    assertThat(log.heldNext()).isEqualTo(FIRST);
    placed(0, 5);
    assertThat(log.heldNext()).isEqualTo(FIRST + 1);
    placed(1, 0);
    assertThat(log.heldNext()).isEqualTo(FIRST + 1);
    has(1, 0);
    assertThat(log.heldNext()).isEqualTo(FIRST + 2);
    assertThat(log.at(FIRST)).isEqualTo(batch(A, 5));
    assertThat(log.at(FIRST + 1)).isEqualTo(batch(B, 0));
  }

  @Test
  void isNotHeldBeyondAGap() {
    placed(0, 0);
    placed(1, 0);
    has(1, 0);
    assertThat(log.heldNext()).isEqualTo(FIRST);
    has(0, 0);
    assertThat(log.heldNext()).isEqualTo(FIRST + 2);
  }

  @Test
  void keepsOnlyTheNextBatchOfASender() {
    has(0, 3, 4);
    assertThat(log.add(0, batch(A, 4))).isFalse();
    assertThat(log.add(0, batch(A, 6))).isFalse();
    assertThat(log.find(0, 6)).isNull();
    has(0, 5);
  }

  @Test
  void findsABatchWithOrWithoutPlace() {
    has(1, 2);
    assertThat(log.find(1, 2)).isEqualTo(batch(B, 2));
    assertThat(log.find(1, 1)).isNull();
    assertThat(log.find(0, 2)).isNull();
    assertThat(log.find(7, 0)).isNull();
  }

  @Test
  void forgetsPlacesWithTheirBatches() {
    has(0, 0, 1);
    has(1, 0);
    placed(0, 0);
    placed(1, 0);
    placed(0, 1);
    log.dropBefore(FIRST + 2);
    assertThat(log.first()).isEqualTo(FIRST + 2);
    assertThat(log.find(0, 0)).isNull();
    assertThat(log.find(1, 0)).isNull();
    assertThat(log.at(FIRST + 2)).isEqualTo(batch(A, 1));
    assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> log.at(FIRST + 1));
  }

  @Test
  void neverForgetsWhatIsNotHeld() {
    has(0, 0);
    placed(0, 0);
    placed(1, 0);
    log.dropBefore(FIRST + 5);
    assertThat(log.first()).isEqualTo(FIRST + 1);
    has(1, 0);
    assertThat(log.at(FIRST + 1)).isEqualTo(batch(B, 0));
  }

  @Test
  void reportsWhatItKeeps() {
    has(0, 0, 1, 2);
    placed(0, 0, 1);
    placed(1, 4);
    log.dropBefore(FIRST + 1);
    assertThat(log.tail(FIRST + 2))
        .isEqualTo(
            new Tail(
                FIRST + 1,
                List.of(new Run(0, 1, 1), new Run(1, 4, 1)),
                Ordering.SEQUENCER,
                FIRST + 2,
                List.of(
                    new Tail.Lane(1, 3, List.of(0L)), new Tail.Lane(0, 0, List.of()), new Tail.Lane(0, 0, List.of()))));
  }

  @Test
  void fetchesFromBehindTheLastBatchOrFromTheFirstThatTheCutLists() {
    has(0, 3, 4);
    Cut cut = cut(FIRST, true, new Run(0, 3, 4), new Run(1, 8, 2));
    assertThat(log.missingFrom(cut, 0)).isEqualTo(5);
    assertThat(log.missingFrom(cut, 1)).isEqualTo(8);
    assertThat(log.missingFrom(cut(FIRST, true), 1)).isZero();
  }

  @Test
  void aCutFitsWhereEverythingBeforeItIsHeldAndNothingDeliveredIsLost() {
    has(0, 0, 1, 2);
    placed(0, 0, 1, 2);
    log.dropBefore(FIRST + 1);
    assertThat(log.fits(cut(FIRST + 3, true), FIRST + 3)).isTrue();
    assertThat(log.fits(cut(FIRST, true, new Run(0, 0, 3)), FIRST + 3)).as("made without this member").isTrue();
    assertThat(log.fits(cut(FIRST + 4, true), FIRST + 3)).as("begins beyond what is held").isFalse();
    assertThat(log.fits(cut(FIRST + 2, true), FIRST + 3)).as("ends before what was delivered").isFalse();
    assertThat(log.fits(cut(FIRST + 2, false), FIRST + 3)).as("the decided part may be behind").isTrue();
    assertThat(log.fits(cut(FIRST, false), FIRST + 3)).as("ends before what is kept").isFalse();
  }

  @Test
  void aCutOfAnotherViewOrShapeDoesNotFit() {
    var other = new Cut(primary(2, A, B, C).id(), FIRST, List.of(), true, List.of(A, B, C), true);
    var narrow = new Cut(VIEW.id(), FIRST, List.of(), true, List.of(A), true);
    assertThat(log.fits(other, FIRST)).isFalse();
    assertThat(log.fits(narrow, FIRST)).isFalse();
  }

  @Test
  void adoptsPlacesThatItDidNotKnow() {
    has(0, 0);
    has(1, 0);
    placed(0, 0);
    log.adopt(cut(FIRST, true, new Run(0, 0, 1), new Run(1, 0, 1)), FIRST + 1);
    assertThat(log.heldNext()).isEqualTo(FIRST + 2);
    assertThat(log.at(FIRST + 1)).isEqualTo(batch(B, 0));
  }

  @Test
  void givesUpPlacesThatTheWholeCutLeavesOut() {
    has(0, 0, 1);
    placed(0, 0);
    placed(1, 0); // nobody else has this batch
    placed(0, 1);
    log.adopt(cut(FIRST, true, new Run(0, 0, 2)), FIRST + 1);
    assertThat(log.knownNext()).isEqualTo(FIRST + 2);
    assertThat(log.heldNext()).isEqualTo(FIRST + 2);
    assertThat(log.at(FIRST + 1)).isEqualTo(batch(A, 1));
  }

  @Test
  void givesUpPlacesBehindTheWholeCut() {
    has(0, 0);
    placed(0, 0);
    placed(1, 0);
    log.adopt(cut(FIRST, true, new Run(0, 0, 1)), FIRST);
    assertThat(log.knownNext()).isEqualTo(FIRST + 1);
  }

  @Test
  void theDecidedPartLeavesTheRestAsItIs() {
    has(0, 0, 1);
    placed(0, 0, 1);
    log.adopt(cut(FIRST, false, new Run(0, 0, 1)), FIRST);
    assertThat(log.knownNext()).isEqualTo(FIRST + 2);
    assertThat(log.heldNext()).isEqualTo(FIRST + 2);
  }

  @Test
  void doesNotAskForWhatItHasForgottenAlready() {
    has(0, 0, 1, 2);
    placed(0, 0, 1, 2);
    log.dropBefore(FIRST + 2);
    log.adopt(cut(FIRST, true, new Run(0, 0, 3)), FIRST + 2);
    assertThat(log.first()).isEqualTo(FIRST + 2);
    assertThat(log.heldNext()).isEqualTo(FIRST + 3);
  }

  @Test
  void aCutThatContradictsADeliveryIsABug() {
    has(0, 0);
    has(1, 0);
    placed(0, 0);
    Cut cut = cut(FIRST, true, new Run(1, 0, 1));
    assertThatExceptionOfType(Invariant.Broken.class).isThrownBy(() -> log.adopt(cut, FIRST + 1));
  }

  @Test
  void manyBatchesAreKept() {
    for (int i = 0; i < 1000; i++) {
      has(0, i);
      placed(0, i);
    }
    assertThat(log.heldNext()).isEqualTo(FIRST + 1000);
    log.dropBefore(FIRST + 999);
    assertThat(log.at(FIRST + 999)).isEqualTo(batch(A, 999));
    assertThat(log.tail(0).places()).containsExactly(new Run(0, 999, 1));
  }

  @Test
  void aSwitchTakesEffectWhenItIsHeld() {
    has(1, 0);
    placed(0, 0);
    assertThat(switches).isEmpty();
    assertThat(log.add(0, Batch.toSwitch(A, 0, Ordering.SKEEN))).isTrue();
    assertThat(switches).containsExactly(Ordering.SKEEN);
    assertThat(log.ordering()).isEqualTo(Ordering.SKEEN);
    assertThat(log.heldNext()).isEqualTo(FIRST + 1);
    assertThat(log.unplaced()).containsExactly(batch(B, 0));
  }

  @Test
  void aSwitchThatOnlyAViewChangePlacesHasNoEffect() {
    assertThat(log.add(0, Batch.toSwitch(A, 0, Ordering.SKEEN))).isTrue();
    log.adopt(cut(FIRST, true, new Run(0, 0, 1)), FIRST);
    assertThat(log.heldNext()).isEqualTo(FIRST + 1);
    assertThat(switches).isEmpty();
  }

  @Test
  void whatIsUnplacedComesByStampThenByRank() {
    assertThat(log.add(0, batch(A, 4).sent(7, CausalPast.NONE))).isTrue();
    assertThat(log.add(1, batch(B, 0).sent(3, CausalPast.NONE))).isTrue();
    assertThat(log.add(1, batch(B, 1).sent(7, CausalPast.NONE))).isTrue();
    placed(1, 0);
    assertThat(log.unplaced()).extracting(Batch::sender).containsExactly(A, B);
  }

  // ---- what cannot be --------------------------------------------------------------------------------------------

  @Test
  void aSendersPlacesAreInItsOrderAndNoneTwice() {
    assertThat(log.place(0, 5)).isTrue();
    assertThat(log.place(0, 5)).isFalse();
    assertThat(log.place(0, 7)).isFalse();
    assertThat(log.place(0, 4)).isFalse();
    assertThat(log.place(0, 6)).isTrue();
    assertThat(log.knownNext()).isEqualTo(FIRST + 2);
  }

  @Test
  void aPlaceBehindABatchThatIsHereMustBeThatBatchs() {
    has(0, 5, 6);
    assertThat(log.place(0, 6)).isFalse();
    assertThat(log.place(0, 5)).isTrue();
  }

  @Test
  void theFirstBatchIsTheFirstThatHasAPlace() {
    placed(0, 5);
    assertThat(log.add(0, batch(A, 7))).isFalse();
    assertThat(log.add(0, batch(A, 5))).isTrue();
    assertThat(log.heldNext()).isEqualTo(FIRST + 1);
  }

  @Test
  void anOwnBatchHasNoPlaceBeforeItIsSent() {
    assertThat(log.place(SELF, 0)).isFalse();
    has(SELF, 0);
    assertThat(log.place(SELF, 0)).isTrue();
    assertThat(log.place(SELF, 1)).isFalse();
  }

  @Test
  void placesDoNotRunAheadOfBatchesWithoutEnd() {
    long seq = 0;
    while (seq < 1 << 21 && log.place(0, seq)) {
      seq++;
    }
    assertThat(seq).isEqualTo(1 << 20);
    has(0, 0);
    assertThat(log.place(0, seq)).isTrue();
  }

  @Test
  void aCutThatContradictsADeliveryDoesNotFit() {
    has(0, 0);
    has(1, 0);
    placed(0, 0);
    placed(1, 0);
    Cut other = cut(FIRST, true, new Run(1, 0, 1), new Run(0, 0, 1));
    assertThat(log.fits(other, FIRST)).isTrue();
    assertThat(log.fits(other, FIRST + 1)).isFalse();
  }

  @Test
  void aCutInWhichASendersBatchesDoNotGoOnDoesNotFit() {
    has(0, 0, 1);
    placed(0, 0);
    log.dropBefore(FIRST + 1);
    assertThat(log.fits(cut(FIRST + 1, true, new Run(0, 1, 1)), FIRST + 1)).isTrue();
    assertThat(log.fits(cut(FIRST + 1, true, new Run(0, 0, 1)), FIRST + 1)).as("once more").isFalse();
    assertThat(log.fits(cut(FIRST + 1, true, new Run(0, 2, 1)), FIRST + 1)).as("one left out").isFalse();
    assertThat(log.fits(cut(FIRST, true, new Run(0, 0, 1), new Run(1, 3, 1), new Run(1, 3, 1)), FIRST + 1))
        .as("twice")
        .isFalse();
    placed(0, 1);
    assertThat(log.fits(cut(FIRST + 2, true, new Run(0, 1, 1)), FIRST + 2)).as("placed below it").isFalse();
  }

  @Test
  void aCutWithOwnBatchesThatWereNotSentDoesNotFit() {
    assertThat(log.fits(cut(FIRST, true, new Run(SELF, 0, 1)), FIRST)).isFalse();
    has(SELF, 0);
    assertThat(log.fits(cut(FIRST, true, new Run(SELF, 0, 1)), FIRST)).isTrue();
    assertThat(log.fits(cut(FIRST, true, new Run(SELF, 0, 2)), FIRST)).isFalse();
  }

  @Test
  void aCutIsHeldWhenEveryBatchThatIsNotForgottenIsHere() {
    has(0, 0, 1);
    placed(0, 0);
    log.dropBefore(FIRST + 1);
    assertThat(log.holds(cut(FIRST, true, new Run(0, 0, 2)))).isTrue();
    assertThat(log.holds(cut(FIRST, true, new Run(0, 0, 3)))).isFalse();
    Cut more = cut(FIRST, true, new Run(0, 0, 2), new Run(1, 4, 2));
    assertThat(log.holds(more)).isFalse();
    has(1, 5, 6);
    assertThat(log.holds(more)).as("the last one is not enough").isFalse();
  }

  @Test
  void aReportThatNoMemberCanGiveIsNotAllowed() {
    has(0, 0, 1);
    placed(0, 0, 1);
    log.dropBefore(FIRST + 1);
    List<Tail.Lane> lanes = log.tail(FIRST + 1).lanes();
    assertThat(log.allows(new Tail(FIRST + 2, List.of(), Ordering.SEQUENCER, FIRST + 2, lanes))).isTrue();
    assertThat(log.allows(new Tail(FIRST + 3, List.of(), Ordering.SEQUENCER, FIRST + 3, lanes)))
        .as("forgot what is not here")
        .isFalse();
    assertThat(log.allows(new Tail(FIRST, List.of(), Ordering.SEQUENCER, FIRST, lanes)))
        .as("misses what is forgotten")
        .isFalse();
    assertThat(log.allows(new Tail(FIRST + 2, List.of(), Ordering.SEQUENCER, FIRST + 2, lanes.subList(0, 2))))
        .as("lanes")
        .isFalse();
  }
}
