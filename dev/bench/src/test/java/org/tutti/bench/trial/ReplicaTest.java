package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.bench.trial.ReplicaOptions.Part;

/// What `tutti bench replica` runs, without other toolkits.
class ReplicaTest {
  private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @TempDir Path directory;

  private static ReplicaOptions what(Part... parts) {
    return new ReplicaOptions(Set.of(parts), 8, 2, List.of(), 1, 20);
  }

  private String measured(int members, ReplicaOptions what) throws InterruptedException {
    var text = new StringWriter();
    var options =
        InstrumentOptions.withOwnLengths(members, 1, Duration.ofMillis(50), false, SMALL, false, directory, 2, 2, true);
    assertThat(Instrument.replica(what, options, new PrintWriter(text))).as("%s", text).isTrue();
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    return text.toString();
  }

  private Map<String, Object> results() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      Path file = files.filter(path -> path.endsWith("results.json")).findFirst().orElseThrow();
      return JSON.std.mapFrom(file.toFile());
    }
  }

  @Test
  void mistakesAreNamed() {
    assertThatThrownBy(() -> new ReplicaOptions(Set.of(), 8, 1, List.of(), 1, 1)).hasMessage("nothing to measure");
    assertThatThrownBy(() -> new ReplicaOptions(Set.of(Part.CALLS), 8, 1, List.of("raft"), 1, 1))
        .hasMessage("peers are jgroups-STACK and aeron-STACK, not raft");
    assertThatThrownBy(() -> new ReplicaOptions(Set.of(Part.FAILOVER), 8, 1, List.of(), 101, 1))
        .hasMessage("1 to 100 managers are killed, not 101");
    assertThatThrownBy(() -> new ReplicaOptions(Set.of(Part.CALLS), 200, 51, List.of(), 1, 1))
        .hasMessage("1 to 10000 calls are open, not 200 times 51");
    assertThatThrownBy(() -> what(Part.FAILOVER).check(2)).hasMessage("of 2 replicas none serves without the manager");
  }

  @Tag("socket")
  @Tag("deep")
  @Test
  void callsReadsAndSessionsAreMeasuredByProcessesThatAllEnd() throws Exception {
    assertThat(measured(2, what(Part.CALLS, Part.LATENCY, Part.SESSIONS)))
        .contains("8 callers, 100 B, one call of each at a time: 1 of 1 rounds count")
        .containsPattern("\\| calls, callbacks +\\| [1-9]")
        .containsPattern("\\| linearizable reads, threads wait +\\| [1-9]")
        .containsPattern("\\| multicast with futures, callbacks +\\| [1-9]")
        .contains("8 clients, 100 B, 2 calls of each at a time: 1 of 1 rounds count")
        .contains("one client, 100 B: 1 of 1 rounds count")
        .containsPattern("\\| raw ping +\\| ")
        .containsPattern("\\| 20 sessions, 20 connections +\\| [1-9]")
        .doesNotContain("NaN");
    assertThat(results()).containsKeys("trial-sets", "sessions");
  }

  @Tag("socket")
  @Test
  @Tag("deep")
  void aNewReplicaGetsItsShareOfTheClients() throws Exception {
    assertThat(measured(3, what(Part.BALANCE)))
        .contains("round 1 of 1: clients [")
        .containsPattern(
            "\\| seconds since it serves +\\| clients of n0 +\\| clients of n1, new +\\| clients of n2 +\\|")
        .containsPattern("\\| 4.0 +\\| \\d")
        .containsPattern("plot: .*load.png");
    assertThat(results()).containsKey("balance");
  }

  @Tag("socket")
  @Test
  @Tag("deep")
  void aManagerIsKilledAndClientsAreAnsweredAgain() throws Exception {
    assertThat(measured(3, what(Part.FAILOVER)))
        .contains("kill 1 of 1, replica ")
        .containsPattern("\\| client at any replica +\\| \\d");
    assertThat(results()).containsKeys("failover");
  }
}
