package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Metric;
import org.tutti.Ordering;
import org.tutti.Status.Cause;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.effect.Counters;
import org.tutti.history.ViewHistory;
import org.tutti.order.SubsetMulticasts;

class StandstillTest {
  private static final View VIEW = primary(5, A, B, C);
  private static final long SECOND = 1_000_000_000;
  private static final int B_RANK = 1;

  private final Counters counters = new Counters();
  private final Standstill standstill = new Standstill(Duration.ofSeconds(1), counters);

  private static ViewHistory.Progress at(long held, long known, boolean unplaced, long[] holding, long... taken) {
    return new ViewHistory.Progress(
        VIEW, B_RANK, Ordering.SEQUENCER, held, known, 2, unplaced, held, holding, taken, null, i -> 9);
  }

  private static long[] by(long... ranks) {
    return ranks;
  }

  /// Looks each half second, and tells what is found at the end.
  private List<Wait> after(int looks, ViewHistory.Progress progress, List<MemberId> owing) {
    List<Wait> found = List.of();
    for (int i = 0; i < looks; i++) {
      found = standstill.look(i * SECOND / 2, progress, owing);
    }
    return found;
  }

  private void finds(Cause cause, MemberId who, ViewHistory.Progress progress, List<MemberId> owing) {
    assertThat(after(2, progress, owing)).as("half a second is no standstill").isEmpty();
    List<Wait> found = after(3, progress, owing);
    assertThat(found)
        .singleElement()
        .satisfies(wait -> {
          assertThat(wait.cause()).isEqualTo(cause);
          assertThat(wait.members()).containsExactly(who);
          assertThat(wait.since()).isEqualTo(Duration.ofSeconds(1));
        });
  }

  @Test
  void whoGoesOnOrHasNothingToDoWaitsForNobody() {
    assertThat(after(10, at(7, 7, false, by(7, 7, 7), 7, 7, 7), null)).isEmpty();
    for (int i = 0; i < 10; i++) {
      var next = at(7 + i, 8 + i, true, by(6 + i, 7 + i, 5 + i), 5 + i, 6 + i, 4 + i);
      assertThat(standstill.look(i * SECOND, next, null)).isEmpty();
    }
    assertThat(Metric.byKey(counters.metrics()).values()).containsOnly(0L);
  }

  @Test
  void aBatchWithoutAPlaceWaitsForTheSequencer() {
    finds(Cause.ORDER, A, at(7, 7, true, by(7, 7, 7), 7, 7, 7), null);
    assertThat(Metric.byKey(counters.metrics())).containsEntry("engine.standstills.begun{reason=order}", 1L);
  }

  @Test
  void aPlaceWithoutItsBatchWaitsForTheSender() {
    finds(Cause.MESSAGE, C, at(7, 8, false, by(7, 7, 7), 7, 7, 7), null);
  }

  @Test
  void whatAMemberDoesNotHoldWaitsForItAndNotForItsApplication() {
    finds(Cause.ACKNOWLEDGEMENT, C, at(9, 9, false, by(9, 9, 7), 9, 9, 7), null);
  }

  @Test
  void whatAMemberHoldsAndDoesNotTakeWaitsForItsApplication() {
    finds(Cause.CONSUMPTION, C, at(9, 9, false, by(9, 9, 9), 9, 9, 7), null);
    assertThat(Metric.byKey(counters.metrics())).containsEntry("engine.standstills.begun{reason=consumption}", 1L);
  }

  @Test
  void aViewChangeWaitsForThoseWhoOweAWord() {
    finds(Cause.VIEW_CHANGE, C, null, List.of(C));
    assertThat(standstill.look(9 * SECOND, null, null)).isEmpty();
    assertThat(standstill.look(10 * SECOND, null, List.of(C))).as("another one").isEmpty();
    assertThat(Metric.byKey(counters.metrics())).containsEntry("engine.standstills.begun{reason=view-change}", 1L);
    assertThat(Metric.sum(counters.metrics(), "engine.standstills.begun")).isOne();
  }

  @Test
  void anotherViewBeginsAnew() {
    after(3, at(9, 9, true, by(9, 9, 7), 9, 9, 7), null);
    View later = primary(6, A, B, C);
    var same = at(9, 9, true, by(9, 9, 7), 9, 9, 7);
    var next =
        new ViewHistory.Progress(
            later, 1, Ordering.SKEEN, 9, 9, 0, true, 9, same.held(), same.consumed(), null, same.bytes());
    assertThat(standstill.look(2 * SECOND, next, null)).isEmpty();
    assertThat(standstill.look(3 * SECOND, next, null)).extracting(Wait::cause).contains(Cause.ORDER);
  }

  @Test
  void aMulticastToSomeWaitsForThoseWhoOweAWord() {
    assertThat(standstill.look(0, withSubset(0, 4, false), null)).isEmpty();
    assertThat(standstill.look(SECOND, withSubset(1, 4, false), null))
        .extracting(Wait::cause, Wait::members)
        .containsExactly(tuple(Cause.ORDER, List.of(C)));
    assertThat(standstill.look(2 * SECOND, withSubset(2, 4, true), null)).as("it has its place").isEmpty();
    assertThat(standstill.look(3 * SECOND, withSubset(3, 4, true), null))
        .extracting(Wait::cause, Wait::members)
        .containsExactly(tuple(Cause.ACKNOWLEDGEMENT, List.of(C)));
    assertThat(standstill.look(4 * SECOND, withSubset(4, 5, true), null)).as("the next one").isEmpty();
  }

  private static ViewHistory.Progress withSubset(int index, long number, boolean placed) {
    long[] all = by(index, index, index);
    var open = new SubsetMulticasts.Open(B_RANK, number, placed, List.of(2));
    return new ViewHistory.Progress(
        VIEW, B_RANK, Ordering.SKEEN, index, index, 2, false, index, all, all, open, bytes -> 9);
  }

  @Test
  void anInstalledViewEndsWhatWasWaitedFor() {
    finds(Cause.VIEW_CHANGE, C, null, List.of(C));
    standstill.newView();
    assertThat(standstill.found()).isEmpty();
    assertThat(standstill.look(2 * SECOND, null, List.of(C))).as("another view change").isEmpty();
  }

  @Test
  void placesThatBecomeKnownDoNotHideWhatIsMissed() {
    for (int i = 0; i < 3; i++) {
      standstill.look(i * SECOND / 2, at(7, 8 + i, false, by(7, 7, 7), 7, 7, 7), null);
    }
    assertThat(standstill.found()).extracting(Wait::cause).containsExactly(Cause.MESSAGE);
  }

  @Test
  void anObserverWaitsForItsOwnApplicationOnly() {
    View observed = new View(VIEW.id(), VIEW.members(), 1, true, List.of());
    for (int i = 0; i < 3; i++) {
      var stuck =
          new ViewHistory.Progress(
              observed, B_RANK, Ordering.SEQUENCER, 9, 9, 2, false, 9, by(9, 9, 9), by(9, 7, 7), null, bytes -> 9);
      standstill.look(i * SECOND / 2, stuck, null);
    }
    assertThat(standstill.found())
        .singleElement()
        .satisfies(wait -> assertThat(wait.members()).containsExactly(VIEW.members().get(B_RANK)));
  }
}
