package org.tutti.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tutti.effect.Effects;

class TimersTest {
  private static final Effects.Timer TICK = new Effects.Timer("tick");
  private static final Effects.Timer TOCK = new Effects.Timer("tock");

  private final Ports.Timers timers = new Ports.Timers();
  private final List<String> ran = new ArrayList<>();

  private void schedule(int owner, Effects.Timer timer, long at) {
    timers.schedule(owner, timer, at, () -> ran.add(owner + timer.name() + at));
  }

  @Test
  void runInTheOrderOfTheirTimes() {
    schedule(1, TICK, 30);
    schedule(2, TICK, 10);
    schedule(3, TICK, 20);
    timers.expire(25);
    assertThat(ran).containsExactly("2tick10", "3tick20");
    assertThat(timers.deadline()).isEqualTo(30);
  }

  @Test
  void equalTimesRunInTheOrderOfAsking() {
    schedule(2, TICK, 10);
    schedule(1, TICK, 10);
    schedule(3, TICK, 10);
    timers.expire(10);
    assertThat(ran).containsExactly("2tick10", "1tick10", "3tick10");
  }

  @Test
  void theSameKeyIsReplaced() {
    schedule(1, TICK, 10);
    schedule(1, TICK, 20);
    schedule(1, TOCK, 15);
    schedule(2, TICK, 16);
    assertThat(timers.deadline()).isEqualTo(15);
    timers.expire(100);
    assertThat(ran).containsExactly("1tock15", "2tick16", "1tick20");
  }

  @Test
  void whatIsCancelledDoesNotRun() {
    schedule(1, TICK, 10);
    schedule(1, TOCK, 10);
    schedule(2, TICK, 10);
    timers.cancel(1, TICK);
    timers.cancel(3, TICK); // nothing
    timers.expire(10);
    assertThat(ran).containsExactly("1tock10", "2tick10");
  }

  @Test
  void anOwnerLosesAllOfItsOwnAndNothingElse() {
    schedule(1, TICK, 10);
    schedule(1, TOCK, 20);
    schedule(2, TICK, 30);
    timers.cancelAll(1);
    assertThat(timers.deadline()).isEqualTo(30);
    schedule(1, TICK, 40); // as before
    timers.expire(100);
    assertThat(ran).containsExactly("2tick30", "1tick40");
  }

  @Test
  void whatBecomesDueMeanwhileRunsToo() {
    timers.schedule(
        1,
        TICK,
        10,
        () -> {
          schedule(1, TICK, 12);
          schedule(1, TOCK, 20);
        });
    timers.expire(15);
    assertThat(ran).containsExactly("1tick12");
    assertThat(timers.deadline()).isEqualTo(20);
  }

  @Test
  void withoutTimersThereIsNoDeadline() {
    assertThat(timers.deadline()).isEqualTo(Long.MAX_VALUE);
    schedule(1, TICK, 10);
    timers.expire(10);
    assertThat(timers.deadline()).isEqualTo(Long.MAX_VALUE);
  }
}
