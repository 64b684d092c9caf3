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
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Ordering;
import org.tutti.bench.trial.Instrument.Subject;

class InstrumentTest {
  private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @TempDir Path directory;

  private InstrumentOptions options(int members, int senders, List<Integer> bytes, int rounds) {
    return options(members, senders, List.of(Ordering.SEQUENCER), bytes, rounds, List.of(), false);
  }

  private InstrumentOptions options(
      int members,
      int senders,
      List<Ordering> orderings,
      List<Integer> bytes,
      int rounds,
      List<String> settings,
      boolean record) {
    Duration moment = Duration.ofMillis(100);
    return new InstrumentOptions(
        members, senders, orderings, bytes, rounds, moment, false, settings, SMALL, record, directory, 2, 2, true);
  }

  @Test
  void mistakesAreNamed() {
    assertThatThrownBy(() -> options(1, 1, List.of(100), 1)).hasMessage("groups have 2 to 32 members, not 1");
    assertThatThrownBy(() -> options(3, 4, List.of(100), 1)).hasMessage("1 to 3 members send, not 4");
    assertThatThrownBy(() -> options(3, 1, List.of(0), 1)).hasMessageContaining("not [0]");
    assertThatThrownBy(() -> options(3, 1, List.of(), 1)).hasMessage("no length of messages");
    assertThatThrownBy(() -> options(3, 1, List.of(100), 0)).hasMessage("at least one round, not 0");
  }

  /// Every kind of trial, by processes, from one end to the other.
  @Tag("socket")
  @Test
  void membersAndPlainSocketsAreMeasuredByProcessesThatAllEnd() throws Exception {
    var text = new StringWriter();
    boolean complete =
        Instrument.measure(Subject.VERSUS_RAW, options(3, 1, List.of(100, 1024), 1), new PrintWriter(text));
    assertThat(complete).as("%s", text).isTrue();
    assertThat(text.toString())
        .contains("flood, 3 members, one sender, 1,024 B: 1 of 1 rounds count")
        .contains("closed loop, 100 B: 1 of 1 rounds count")
        .contains("open loop at half of the peak")
        .containsPattern("\\| tutti +\\| [1-9][0-9,]* ")
        .containsPattern("\\| - over raw +\\| \\d+\\.\\d\\d ")
        .containsPattern("\\| - over raw ping +\\| ")
        .contains("live heap under a flood of 1,024 B: 1 of 1 rounds count", "live heap MiB")
        .doesNotContain("NaN");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(results()).containsKeys("command", "machine", "process-groups", "trial-sets");
  }

  /// Groups whose metrics are read and groups whose metrics are not, in the same rounds.
  @Tag("socket")
  @Test
  @Tag("deep")
  void readingMetricsIsComparedWithNot() throws Exception {
    var text = new StringWriter();
    boolean complete =
        Instrument.metrics(options(2, 1, List.of(100), 1), List.of(Duration.ofMillis(10)), new PrintWriter(text));
    assertThat(complete).as("%s", text).isTrue();
    assertThat(text.toString())
        .containsPattern("\\| without metrics +\\| [1-9][0-9,]* ")
        .containsPattern("\\| the same again +\\| [1-9][0-9,]* ")
        .containsPattern("\\| metrics every 10 ms +\\| [1-9][0-9,]* ")
        .contains("closed loop, 100 B: 1 of 1 rounds count");
  }

  /// Throughput and latency of the orderings side by side, in the same rounds.
  @Tag("socket")
  @Test
  @Tag("deep")
  void orderingsAreComparedInTheSameRounds() throws Exception {
    InstrumentOptions all = options(2, 2, List.of(Ordering.values()), List.of(100), 1, List.of(), false);
    var text = new StringWriter();
    assertThat(Instrument.measure(Subject.FLOOD, all, new PrintWriter(text))).as("%s", text).isTrue();
    assertThat(Instrument.measure(Subject.LATENCY, all, new PrintWriter(text))).as("%s", text).isTrue();
    for (Ordering ordering : Ordering.values()) {
      String name = "tutti-" + ordering.name().toLowerCase(Locale.ROOT);
      assertThat(text.toString())
          .containsPattern("\\| " + name + " +\\| [1-9][0-9,]* ")
          .containsPattern("\\| " + name + " member, a thread waits +\\| ");
    }
  }

  private Path file(String name) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(path -> path.endsWith(name)).findFirst().orElseThrow();
    }
  }

  @Tag("socket")
  @Test
  @Tag("deep")
  void aMemberIsSlowForAWhile() throws Exception {
    var text = new StringWriter();
    boolean complete = Instrument.measure(Subject.SLOW, options(2, 1, List.of(1024), 1), new PrintWriter(text));
    assertThat(complete).as("%s", text).isTrue();
    assertThat(text.toString())
        .contains("one slow member, 1,024 B: 1 of 1 rounds count", "slowed to", "recovery ms", "live heap MiB")
        .containsPattern("\\| tutti .*\\| 0 +\\|\n"); // no view because of it
  }

  @Tag("socket")
  @Test
  @Tag("deep")
  void aFloodIsRecorded() throws Exception {
    var text = new StringWriter();
    InstrumentOptions recorded = options(2, 1, List.of(Ordering.SEQUENCER), List.of(1024), 1, List.of(), true);
    assertThat(Instrument.measure(Subject.FLOOD, recorded, new PrintWriter(text))).as("%s", text).isTrue();
    for (String process : List.of("tutti-of-2-0.jfr", "tutti-of-2-1.jfr")) {
      Path jfr = Path.of(System.getProperty("java.home"), "bin", "jfr");
      Process summary = new ProcessBuilder(jfr.toString(), "summary", file(process).toString()).start();
      assertThat(new String(summary.getInputStream().readAllBytes())).containsPattern("jdk.CPUTimeSample +[1-9]");
    }
  }

  @Tag("socket")
  @Test
  @Tag("deep")
  void packingPoliciesAreMeasuredBesideFixedDegrees() throws Exception {
    var text = new StringWriter();
    InstrumentOptions small = options(3, 1, List.of(1000), 1);
    boolean complete = Instrument.packing(small, List.of(1, 8), new PrintWriter(text));
    assertThat(complete).as("%s", text).isTrue();
    assertThat(text.toString())
        .contains("continuous source, 1,000 B (table 2, figure 3): 1 of 1 rounds count")
        .contains("continuous source, 1,000 and 3,000 B (figure 5): 1 of 1 rounds count")
        .containsPattern("bursts of \\d+ x 15 messages, 20 ms of sleep, 1,000 B \\(figure 6, bursts \\d+ x longer\\)")
        .containsPattern("\\| natural +\\| [1-9]")
        .containsPattern("\\| hill-climb +\\| [1-9]")
        .containsPattern("\\| - over no packing +\\| \\d")
        .contains("a policy begins, continuous source, 1,000 B: 1 of 1 rounds count", "settled ms")
        .containsPattern("\\| degree 8 .*\\| 8 +\\|\n")
        .doesNotContain("NaN");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Tag("socket")
  @Test
  @Tag("deep")
  void packingIsMeasuredWithDeliveriesThatAreWrittenToDatabasesToo() throws Exception {
    var text = new StringWriter();
    InstrumentOptions small = options(3, 1, List.of(1000), 1);
    boolean complete = Instrument.packingIntoDatabases(small, List.of(1, 8), new PrintWriter(text));
    assertThat(complete).as("%s", text).isTrue();
    assertThat(text.toString())
        .contains("\ncontinuous source, 1,000 B (table 2, figure 3): 1 of 1 rounds count")
        .contains("\neach delivery in a database, continuous source, 1,000 B (table 2, figure 3): 1 of 1 rounds count")
        .containsPattern("tutti-database: +3 processes")
        .doesNotContain("bursts", "NaN");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  private Map<String, Object> results() throws IOException {
    return JSON.std.mapFrom(file("results.json").toFile());
  }

  @Tag("socket")
  @Test
  void aProcessThatCannotStartIsReportedWithItsLog() {
    InstrumentOptions wrong =
        options(2, 1, List.of(Ordering.SEQUENCER), List.of(100), 1, List.of("window=wide"), false);
    assertThatThrownBy(() -> Instrument.measure(Subject.FLOOD, wrong, new PrintWriter(new StringWriter())))
        .isInstanceOf(BenchException.class)
        .hasMessageContaining("tutti-of-2-0")
        .hasMessageContaining("wide")
        .hasMessageContaining(".log");
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }
}
