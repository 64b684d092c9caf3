package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Ordering;
import org.tutti.sim.exhaustive.BoundedModel;
import org.tutti.sim.exhaustive.BoundedModel.Fault;
import org.tutti.sim.exhaustive.BoundedModel.Runs;
import org.tutti.sim.exhaustive.BoundedModel.Ways;
import org.tutti.sim.exhaustive.ExhaustiveCheck;
import org.tutti.sim.exhaustive.Exploration;
import org.tutti.sim.exhaustive.Exploration.Result;
import org.tutti.sim.mutant.MutantSearch;
import org.tutti.sim.mutant.Mutants;

/// Every state of small groups keeps the guarantees, and planted bugs are found there.
class ExhaustiveTest {
  private static final int STATES_MAX = 500_000;

  @ParameterizedTest
  @EnumSource(Ordering.class)
  void nothingIsWrongInAnyStateOfTwo(Ordering ordering) {
    nothingIsWrong(ordering, 2, 2, Ways.STAR);
  }

  @ParameterizedTest
  @EnumSource(Ordering.class)
  @Tag("deep")
  void nothingIsWrongInAnyStateOfThree(Ordering ordering) {
    nothingIsWrong(ordering, 3, 1, Ways.EITHER);
    nothingIsWrong(ordering, 3, 1, Ways.INDIRECT);
  }

  @Test
  void nothingIsWrongInAnyStateOfThreeWithARelay() {
    nothingIsWrong(Ordering.SEQUENCER, 3, 1, Ways.RELAY);
  }

  private static void nothingIsWrong(Ordering ordering, int members, int messages, Ways ways) {
    List<BoundedModel> scenarios = new ArrayList<>();
    for (Fault fault : Fault.values()) {
      scenarios.add(new BoundedModel(ordering, members, messages, fault, Runs.ANY, ways));
    }
    List<Result> results = new ArrayList<>();
    assertThat(ExhaustiveCheck.run(scenarios, STATES_MAX, results::add)).as(results.toString()).isTrue();
    assertThat(results).hasSameSizeAs(scenarios).allMatch(result -> result.states() > scenarios.size());
  }

  @ParameterizedTest
  @CsvSource({
    "deliver-without-quorum, SEQUENCER, 3, 2, CRASH, STAR, UniformTotalOrder",
    "deliver-without-quorum, SEQUENCER, 3, 2, CRASH, CHAIN, UniformTotalOrder",
    "deliver-without-quorum, SYMMETRIC, 3, 2, SUSPICION, STAR, UniformTotalOrder",
    "skeen-blind-clock, SKEEN, 3, 2, NONE, STAR, UniformTotalOrder",
    "skeen-past-pending, SKEEN, 2, 2, NONE, STAR, UniformTotalOrder",
    "place-without-hearing, SYMMETRIC, 2, 2, NONE, STAR, UniformTotalOrder",
    "believe-too-early, SYMMETRIC, 3, 3, NONE, CHAIN, UniformTotalOrder",
    "forward-nothing, SEQUENCER, 3, 1, NONE, CHAIN, Convergence",
    "deliver-without-quorum, SEQUENCER, 3, 2, CRASH, RELAY, UniformTotalOrder",
    "believe-too-early, SYMMETRIC, 3, 3, NONE, RELAY, UniformTotalOrder",
    "relay-nothing, SEQUENCER, 3, 1, NONE, RELAY, Convergence",
    "relay-to-sender, SEQUENCER, 3, 1, NONE, RELAY, NoBrokenInvariant"
  })
  void plantedBugsAreFound(
      String mutant, Ordering ordering, int members, int messages, Fault fault, Ways ways, String property) {
    var scenario = new BoundedModel(ordering, members, messages, fault, Runs.ONE, ways);
    List<String> words = MutantSearch.explore(Mutants.named(mutant), scenario);
    assertThat(words).as("the violation and the way to it").hasSizeGreaterThan(messages);
    assertThat(words.getFirst()).startsWith(property);
    assertThat(words).doesNotContain("");
  }

  @Test
  void aWorldThatIsTooLargeIsSaidToBeAndMadeSmaller() {
    List<Result> results = new ArrayList<>();
    var scenario = new BoundedModel(Ordering.SEQUENCER, 2, 3, Fault.NONE, Runs.ONE, Ways.STAR);
    int fits =
        Exploration.explore(new BoundedModel(Ordering.SEQUENCER, 2, 2, Fault.NONE, Runs.ONE, Ways.STAR), STATES_MAX)
            .states();

    assertThat(ExhaustiveCheck.run(List.of(scenario), fits, results::add)).isTrue();

    assertThat(results).extracting(Result::complete).containsExactly(false, true);
    assertThat(results.getFirst().toString()).contains("not all states");
    assertThat(results.getLast().scenario().messages()).isEqualTo(2);
  }

  @Test
  void theSameWorldHasTheSameStates() {
    var scenario = new BoundedModel(Ordering.SKEEN, 2, 2, Fault.SUSPICION, Runs.ONE, Ways.STAR);
    Result once = Exploration.explore(scenario, STATES_MAX);
    Result again = Exploration.explore(scenario, STATES_MAX);
    assertThat(once.states()).isEqualTo(again.states());
    assertThat(once.transitions()).isEqualTo(again.transitions());
  }

  @Test
  void theBoundsAreChecked() {
    assertThatThrownBy(() -> new BoundedModel(Ordering.SEQUENCER, 4, 1, Fault.NONE, Runs.ONE, Ways.STAR))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("4");
  }
}
