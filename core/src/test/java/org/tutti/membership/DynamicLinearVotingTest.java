package org.tutti.membership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.MemberId;
import org.tutti.Members;
import org.tutti.View;

class DynamicLinearVotingTest {
  private static View of(int size) {
    return Members.primary(
        1, IntStream.range(0, size).mapToObj(i -> Members.member("m" + i, i + 1)).toArray(MemberId[]::new));
  }

  private static boolean isQuorum(View view, int subset) {
    return new DynamicLinearVoting().isQuorum(view, rank -> (subset >> rank & 1) != 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void aMajorityOrHalfWithTheMostSeniorIsAQuorum(int size) {
    View view = of(size);
    for (int subset = 0; subset < 1 << size; subset++) {
      int votes = Integer.bitCount(subset);
      boolean senior = (subset & 1) != 0;
      assertThat(isQuorum(view, subset))
          .as(votes + " of " + size + (senior ? " with" : " without") + " the most senior")
          .isEqualTo(votes > size / 2 || (size % 2 == 0 && votes == size / 2 && senior));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void anyTwoQuorumsShareAMember(int size) {
    View view = of(size);
    for (int one = 0; one < 1 << size; one++) {
      for (int other = 0; other < 1 << size; other++) {
        if (isQuorum(view, one) && isQuorum(view, other)) {
          assertThat(one & other).isNotZero();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void observersAreNotNeededAndDoNotHelp(int voters) {
    View all = of(voters);
    View observed = new View(all.id(), of(voters + 2).members(), voters, true, List.of());
    for (int subset = 0; subset < 1 << observed.size(); subset++) {
      assertThat(isQuorum(observed, subset)).isEqualTo(isQuorum(all, subset & (1 << voters) - 1));
    }
  }

  @Test
  void observersAloneCountAmongThemselves() {
    View observers = new View(of(3).id(), of(3).members(), 0, false, List.of());
    assertThat(isQuorum(observers, 0)).isFalse();
    assertThat(isQuorum(observers, 3)).isTrue();
  }
}
