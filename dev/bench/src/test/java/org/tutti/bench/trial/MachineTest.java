package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTest {
  private static final Machine.Limits LIMITS = new Machine.Limits(0.1, 0.03);
  private static final double SECOND = 1e9;
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  @Test
  void whatTheMeasurementUsesItselfIsNoDisturbance() {
    var start = new Machine.Moment(0, 100, 5, 20);
    var end = new Machine.Moment((long) SECOND, 100 + PROCESSORS, 5, 20 + PROCESSORS);
    assertThat(start.until(end)).isEqualTo(new Machine.Load(true, 0, 0));
    assertThat(start.until(end).disturbance(LIMITS)).isNull();
  }

  @Test
  void whatOthersUseBeyondTheLimitIsOne() {
    var start = new Machine.Moment(0, 100, 5, 20);
    var end = new Machine.Moment((long) SECOND, 100 + 0.5 * PROCESSORS, 5, 20 + 0.25 * PROCESSORS);
    assertThat(start.until(end).others()).isCloseTo(0.25, within(1e-9));
    assertThat(start.until(end).disturbance(LIMITS)).isEqualTo("others used 25 % of the machine");
  }

  @Test
  void whatTheHostStealsIsOne() {
    var start = new Machine.Moment(0, 100, 5, 20);
    var end = new Machine.Moment((long) SECOND, 100, 5 + 0.04 * PROCESSORS, 20);
    assertThat(start.until(end).disturbance(LIMITS)).isEqualTo("4.0 % were stolen by the host");
  }

  @Test
  void withoutProcNothingIsKnownAndNothingDisturbs() {
    var start = new Machine.Moment(0, -1, 0, 20);
    assertThat(start.until(new Machine.Moment((long) SECOND, -1, 0, 21)).known()).isFalse();
  }

  @Test
  void clocksDoNotGoBackwards() {
    var own = List.of(ProcessHandle.current().pid());
    Machine.Moment first = Machine.now(own);
    Machine.Moment second = Machine.now(own);
    assertThat(second.busy()).isGreaterThanOrEqualTo(first.busy());
    assertThat(second.own()).isGreaterThanOrEqualTo(first.own());
  }
}
