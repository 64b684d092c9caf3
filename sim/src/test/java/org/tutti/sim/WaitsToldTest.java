package org.tutti.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.tutti.Status.Cause;
import org.tutti.Status.Phase;
import org.tutti.Status.Spilled;
import org.tutti.Status.Wait;
import org.tutti.View;
import org.tutti.sim.check.WaitsTold;
import org.tutti.user.Report;

/// Whether a member that waits says for whom, at a bound of one second.
class WaitsToldTest {
  private static final long SECOND = 1_000_000_000;
  private static final View AB = HandWrittenHistory.primary(2, "a", "b");

  private final WaitsTold waits = new WaitsTold("a", Duration.ofSeconds(1));

  private void shown(long now, View view, Wait... named) {
    waits.shown(
        now,
        new Report(
            "bank",
            HandWrittenHistory.id("a"),
            Phase.CAUGHT_UP,
            view,
            view,
            OptionalLong.of(0),
            List.of(),
            List.of(named),
            List.of(),
            List.of(),
            null,
            Spilled.NOTHING));
  }

  private static Wait wait(Cause cause, String member, Duration since) {
    return new Wait(cause, List.of(HandWrittenHistory.id(member)), 1, since, 0);
  }

  @Test
  void whoSendsAndSeesNothingGoOnNamesSomebody() {
    shown(0, AB);
    waits.look(9 * SECOND);
    assertThat(waits.violations()).as("nothing is under way").isEmpty();
    waits.isSending(9 * SECOND, true);
    waits.goesOn(10 * SECOND);
    waits.look(11 * SECOND);
    assertThat(waits.violations()).isEmpty();
    waits.look(11 * SECOND + 1);
    assertThat(waits.violations()).hasSize(1);
  }

  @Test
  void whoNamesSomebodyHasTime() {
    shown(0, AB);
    waits.isSending(0, true);
    shown(SECOND, AB, wait(Cause.ORDER, "b", Duration.ofSeconds(1)));
    waits.look(99 * SECOND);
    shown(99 * SECOND, AB);
    waits.look(100 * SECOND);
    assertThat(waits.violations()).isEmpty();
    shown(101 * SECOND, AB, wait(Cause.ORDER, "b", Duration.ofSeconds(1)));
    assertThat(waits.violations()).as("too late").hasSize(1);
  }

  @Test
  void whoStoodStillItselfBeginsAnew() {
    shown(0, AB);
    waits.isSending(0, true);
    waits.resumed(9 * SECOND);
    waits.look(10 * SECOND);
    assertThat(waits.violations()).isEmpty();
  }

  @Test
  void whatWasWaitedForInAnEarlierViewIsOver() {
    shown(0, AB);
    shown(5 * SECOND, HandWrittenHistory.primary(3, "a"), wait(Cause.VIEW_CHANGE, "b", Duration.ofSeconds(1)));
    assertThat(waits.violations()).as("that view change has come to its end").hasSize(1);
    shown(7 * SECOND, HandWrittenHistory.primary(3, "a"), wait(Cause.VIEW_CHANGE, "b", Duration.ofSeconds(1)));
    assertThat(waits.violations()).as("another one").hasSize(1);
    shown(7 * SECOND, HandWrittenHistory.primary(3, "a"), wait(Cause.MESSAGE, "b", Duration.ofSeconds(1)));
    assertThat(waits.violations()).as("b is not in the view").hasSize(2);
  }

  /// Its application is slow, but takes one after the other of more than a hundred multicasts to some members, each
  /// soon enough; what it multicasts to all meanwhile waits behind them for longer than the bound.
  @Test
  void multicastsToSomeMembersThatAreHeldOneAfterTheOtherAreProgress() {
    Set<FaultKind> others = EnumSet.complementOf(EnumSet.of(FaultKind.SLOW_CONSUMER));
    Limits limits = Limits.NONE;
    for (FaultKind other : others) {
      limits = limits.without(other);
    }
    Plan plan = Plan.draw(885_486_314_200L).within(limits.nodes(1).multicasts(118));
    List<String> lines = new ArrayList<>();
    RunResult run = Simulation.run(plan, lines::add);
    assertThat(run.violations()).isEmpty();
    List<String> fates =
        lines.stream().filter(line -> line.contains("** subset") || line.contains("** decided")).toList();
    int longest = 0;
    int row = 0;
    for (String fate : fates) {
      row = fate.contains("HELD") ? row + 1 : 0;
      longest = Math.max(longest, row);
    }
    assertThat(longest).as("in a row, without anything else").isGreaterThan(15);
  }
}
