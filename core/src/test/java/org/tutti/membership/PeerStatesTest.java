package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.Members.A;
import static org.tutti.Members.B;
import static org.tutti.Members.C;
import static org.tutti.Members.D;
import static org.tutti.Members.primary;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;

class PeerStatesTest {
  private static final long NOW = 7_000_000;
  private static final Duration LONGEST = Duration.ofMillis(100);

  private final Set<MemberId> suspected = new HashSet<>();
  private final PeerStates states = new PeerStates(A, primary(1, A), suspected::contains, _ -> false);

  @BeforeEach
  void install() {
    states.installed(primary(2, A, B), List.of(), NOW);
  }

  @Test
  void whoIsFoundJustAfterAViewWaitsForOthers() {
    long pause = states.gather(NOW, LONGEST).toNanos();
    assertThat(pause).isPositive().isLessThan(1_000_000);
    states.found(List.of(C));
    assertThat(states.needsChange(NOW + pause - 1)).isFalse();
    states.found(List.of(D));
    assertThat(states.needsChange(NOW + pause)).isTrue();
    assertThat(states.candidates()).containsExactly(A, B, C, D);
  }

  @Test
  void nobodyWaitsWhoComesLater() {
    long pause = states.gather(NOW, LONGEST).toNanos();
    states.found(List.of(C));
    assertThat(states.needsChange(NOW + 2 * pause)).isTrue();
  }

  @Test
  void otherReasonsForAViewDoNotWait() {
    states.gather(NOW, LONGEST);
    assertThat(states.needsChange(NOW)).isFalse();
    states.leaves(B);
    assertThat(states.needsChange(NOW)).isTrue();
    states.installed(primary(3, A, B), List.of(), NOW);
    states.gather(NOW, LONGEST);
    suspected.add(B);
    assertThat(states.needsChange(NOW)).isTrue();
  }

  @Test
  void thePauseHasABound() {
    assertThat(states.gather(NOW, Duration.ofNanos(10))).isEqualTo(Duration.ofNanos(10));
  }
}
