package org.tutti.order;

import static org.assertj.core.api.Assertions.assertThat;
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
import org.tutti.order.Symmetric.Message.Alive;
import org.tutti.wire.Malformed;

/// Who is heard how far, at A in a view of three.
class SymmetricTest {
  private static final View VIEW = primary(1, A, B, C);

  private final Clock clock = new Clock();
  private final RecordingEffects<Symmetric.Message> effects = new RecordingEffects<>();
  private final List<String> placed = new ArrayList<>();
  private final Symmetric order =
      new Symmetric(
          new TotalOrder.Context(0, VIEW, 0, _ -> true, clock, _ -> false, Duration.ofMillis(100)),
          effects,
          (rank, seq) -> placed.add(VIEW.members().get(rank).name() + seq));

  private void arrives(int rank, long seq, long stamp) {
    clock.witness(stamp);
    order.arrived(rank, seq, stamp);
    order.check();
  }

  @Test
  void aBatchHasItsPlaceWhenEverybodyIsHeardPastIt() throws Malformed {
    arrives(1, 0, 5);
    assertThat(placed).isEmpty();
    order.receive(C, new Alive(5, 0));
    assertThat(placed).containsExactly("b0");
  }

  @Test
  void aWordThatOvertakesBatchesOfItsSenderWaitsForThem() throws Malformed {
    arrives(1, 0, 5);
    order.receive(C, new Alive(9, 8)); // c7, stamped 4, went from member to member
    assertThat(placed).isEmpty();
    arrives(2, 7, 4);
    assertThat(placed).containsExactly("c7", "b0");
  }

  @Test
  void theLastOfSeveralEarlyWordsIsEnough() throws Malformed {
    arrives(1, 0, 5);
    order.receive(C, new Alive(6, 8));
    order.receive(C, new Alive(9, 9));
    arrives(2, 7, 2);
    assertThat(placed).containsExactly("c7");
    arrives(2, 8, 3);
    assertThat(placed).containsExactly("c7", "c8", "b0");
  }

  @Test
  void aMemberSaysHowManyBatchesItHasSentBefore() {
    arrives(0, 3, 1);
    arrives(1, 0, 5);
    order.flush();
    assertThat(effects.take()).containsExactly(new Broadcast<>(new Alive(5, 4)));
  }
}
