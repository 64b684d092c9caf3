package org.tutti.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What replicas executed is compared.
class ExecutionsTest {
  private final Executions executions = new Executions();

  private void executed(String replica, long position, long number, long chain) {
    executions.add(replica, new HistoryEntry.Executed(1, position, 12, number, chain));
  }

  @Test
  void theSameAtTheSamePlaceIsRight() {
    executed("n1", 5, 1, 77);
    executed("n1", 6, 2, 78);
    executed("n2", 5, 1, 77);
    assertThat(executions.differences()).isEmpty();
    assertThat(executions.repetitions()).isEmpty();
    assertThat(executions.commands()).isEqualTo(2);
  }

  @Test
  void aCommandAtTwoPlacesWasExecutedTwice() {
    executed("n1", 5, 1, 77);
    executed("n2", 6, 1, 78);
    assertThat(executions.repetitions()).singleElement().asString().contains("n2", "command 1", "at 6");
  }

  @Test
  void anotherCommandOrAnotherReplyIsADifference() {
    executed("n1", 5, 1, 77);
    executed("n1", 6, 2, 78);
    executed("n2", 5, 3, 77);
    executed("n2", 6, 2, 79);
    assertThat(executions.differences()).hasSize(2);
  }
}
