package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.bench.trial.PolicyOptions.Failure;
import org.tutti.bench.trial.PolicyOptions.Way;
import org.tutti.lab.network.Unavailable;

class PolicyTest {
  private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @TempDir Path directory;

  private PolicyOptions options(List<Way> ways, List<Failure> failures, int clients, Duration silence) {
    return new PolicyOptions(
        ways,
        failures,
        List.of(clients),
        2,
        Duration.ofMillis(83),
        Duration.ofSeconds(2),
        silence,
        1,
        SMALL,
        directory);
  }

  @Test
  void mistakesAreNamed() {
    List<Way> one = List.of(Way.P1);
    List<Failure> none = List.of(Failure.NONE);
    Duration second = Duration.ofSeconds(1);
    assertThatThrownBy(() -> options(one, none, 0, second)).hasMessage("1 to 32 clients, not 0");
    assertThatThrownBy(() -> options(one, List.of(), 1, second)).hasMessage("there is nothing to measure");
    assertThatThrownBy(() -> options(one, none, 1, Duration.ofMillis(50)))
        .hasMessage("times without a word, 2000 and 50 ms, are longer than the round trip");
  }

  @Test
  void waysAndFailuresAreKnownByTheirNames() {
    assertThat(PolicyOptions.of(Failure.values(), "true-pre-send")).isEqualTo(Failure.TRUE_PRE_SEND);
    assertThat(PolicyOptions.words(Way.values())).isEqualTo("single,p1,p2,p3,p4,connected,hedged,switching");
    assertThatThrownBy(() -> PolicyOptions.of(Way.values(), "p5")).hasMessageStartingWith("'p5' is none of single,");
  }

  /// A second or two for each; calls take a round trip at least, and the manager's end is survived.
  @Tag("socket")
  @Tag("deep")
  @Test
  void distantClientsAreAnsweredWithoutAndWithAFailureOfTheManager() throws Exception {
    var text = new StringWriter();
    List<Way> ways = List.of(Way.SINGLE, Way.P1, Way.P4, Way.HEDGED, Way.SWITCHING);
    PolicyOptions options = options(ways, List.of(Failure.values()), 2, Duration.ofSeconds(2));
    try {
      assertThat(PolicyRun.measure(options, new PrintWriter(text))).as("%s", text).isTrue();
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
    assertThat(text.toString())
        .contains("none: 2 requests of each client, round trip 83 ms")
        .containsPattern("\\| p1 +\\| (8[3-9]|9\\d|\\d{3,4})\\.\\d ")
        .containsPattern("virtual-post-send-2-p4: \\d+\\.\\d ms");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    Process list = new ProcessBuilder("ip", "netns", "list").start();
    assertThat(list.inputReader().lines()).noneMatch(name -> name.contains("-" + ProcessHandle.current().pid() + "-"));
  }
}
