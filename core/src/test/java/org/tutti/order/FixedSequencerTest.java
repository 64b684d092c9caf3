package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.View;
import org.tutti.effect.RecordingEffects;
import org.tutti.effect.RecordingEffects.Effect.Broadcast;
import org.tutti.order.FixedSequencer.Message.Ordered;
import org.tutti.wire.Malformed;

class FixedSequencerTest {
  private static final View VIEW = primary(1, A, B, C);

  private final RecordingEffects<FixedSequencer.Message> effects = new RecordingEffects<>();
  private final List<String> places = new ArrayList<>(); // rank/number, at 10 and the following indexes
  private final FixedSequencer atA = new FixedSequencer(at(0), effects, this::placed);
  private final FixedSequencer atB = new FixedSequencer(at(1), effects, this::placed);

  private static TotalOrder.Context at(int self) {
    return new TotalOrder.Context(self, VIEW, 10, _ -> true, new Clock(), _ -> false, Duration.ofMillis(100));
  }

  private void placed(int rank, long seq) {
    places.add(rank + "/" + seq);
  }

  @Test
  void theMostSeniorMemberPlacesBatchesAsTheyCome() {
    atA.arrived(1, 7, 1);
    atA.arrived(0, 3, 1);
    atA.arrived(1, 8, 1);
    assertThat(places).containsExactly("1/7", "0/3", "1/8");
  }

  @Test
  void itSaysItsDecisionsOnceForARunOfInputs() {
    atA.arrived(1, 7, 1);
    atA.arrived(1, 8, 1);
    atA.arrived(2, 0, 1);
    assertThat(effects.take()).isEmpty();
    atA.flush();
    assertThat(effects.take())
        .containsExactly(new Broadcast<>(new Ordered(10, List.of(new Run(1, 7, 2), new Run(2, 0, 1)))));
    atA.flush();
    assertThat(effects.take()).isEmpty();
  }

  @Test
  void itsNextMessageBeginsWhereTheLastOneEnded() {
    atA.arrived(1, 0, 1);
    atA.arrived(1, 1, 1);
    atA.flush();
    atA.arrived(2, 0, 1);
    atA.flush();
    assertThat(effects.take()).last().isEqualTo(new Broadcast<>(new Ordered(12, List.of(new Run(2, 0, 1)))));
  }

  @Test
  void anotherMemberPlacesNothingByItself() {
    atB.arrived(1, 0, 1);
    atB.flush();
    assertThat(places).isEmpty();
    assertThat(effects.take()).isEmpty();
  }

  @Test
  void anotherMemberPlacesWhatTheSequencerSays() throws Malformed {
    atB.receive(A, new Ordered(10, List.of(new Run(2, 5, 2), new Run(0, 0, 1))));
    atB.receive(A, new Ordered(13, List.of(new Run(2, 7, 1))));
    assertThat(places).containsExactly("2/5", "2/6", "0/0", "2/7");
  }

  @Test
  void onlyTheSequencerIsBelieved() {
    var ordered = new Ordered(10, List.of(new Run(0, 0, 1)));
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> atB.receive(C, ordered));
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> atA.receive(B, ordered));
    assertThat(places).isEmpty();
  }

  @Test
  void aGapOrARepetitionIsRefused() throws Malformed {
    atB.receive(A, new Ordered(10, List.of(new Run(0, 0, 1))));
    for (long index : new long[] {9, 10, 12}) {
      var ordered = new Ordered(index, List.of(new Run(0, 1, 1)));
      assertThatExceptionOfType(Malformed.class).isThrownBy(() -> atB.receive(A, ordered));
    }
    assertThat(places).containsExactly("0/0");
  }

  @Test
  void aRankOutsideTheViewIsRefusedBeforeAnythingIsPlaced() {
    var ordered = new Ordered(10, List.of(new Run(0, 0, 1), new Run(3, 0, 1)));
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> atB.receive(A, ordered));
    assertThat(places).isEmpty();
  }

  @Test
  void afterASwitchTheSequencerNumbersNoMore() {
    atA.arrived(1, 7, 1);
    atA.retire();
    atA.arrived(1, 8, 2);
    assertThat(places).containsExactly("1/7");
    atA.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Ordered(10, List.of(new Run(1, 7, 1)))));
  }

  @Test
  void aMessageHasABoundedNumberOfPlaces() throws Malformed {
    int most = 1 << 16;
    for (int seq = 0; seq <= most; seq++) {
      atA.arrived(1, seq, seq + 1);
    }
    atA.flush();
    assertThat(effects.take())
        .containsExactly(
            new Broadcast<>(new Ordered(10, List.of(new Run(1, 0, most)))),
            new Broadcast<>(new Ordered(10 + most, List.of(new Run(1, most, 1)))));
    places.clear();
    var more = new Ordered(10, List.of(new Run(1, 0, most), new Run(2, 0, 1)));
    assertThatExceptionOfType(Malformed.class).isThrownBy(() -> atB.receive(A, more));
    assertThat(places).isEmpty();
  }
}
