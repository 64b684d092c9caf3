package org.tutti.bench.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.bench.trial.LineOptions.Senders;
import org.tutti.lab.network.LineNetwork;
import org.tutti.lab.network.Unavailable;

class LineTest {
  private static final List<String> SMALL = List.of("-Xmx64m", "-XX:+UseSerialGC");

  @TempDir Path directory;

  private LineOptions options(List<Integer> members, List<LineStack> stacks, int bytes, int rounds) {
    Duration moment = Duration.ofSeconds(1);
    return new LineOptions(
        List.of(LineNetwork.Line.of(50)),
        members,
        List.of(Senders.values()),
        stacks,
        bytes,
        moment,
        moment,
        rounds,
        SMALL,
        LineOptions.Optimized.CIPHERS,
        0,
        false,
        List.of(),
        false,
        directory,
        2,
        2);
  }

  @Test
  void mistakesAreNamed() {
    List<LineStack> one = List.of(LineStack.RAW_TCP);
    assertThatThrownBy(() -> options(List.of(3, 1), one, 1000, 1)).hasMessage("groups have 2 to 32 members, not 1");
    assertThatThrownBy(() -> options(List.of(), one, 1000, 1)).hasMessage("there is nothing to measure");
    assertThatThrownBy(() -> options(List.of(3), one, 3, 1)).hasMessageContaining("bytes, not 3");
    assertThatThrownBy(() -> options(List.of(3), one, 1000, 0)).hasMessage("at least one round, not 0");
    assertThatThrownBy(() -> LineNetwork.Line.of(5).withLoss(1_000_000))
        .hasMessage("a line loses 0 % of its packets to less than 100 %, not 100.0 %");
    assertThatThrownBy(() -> LineNetwork.Line.of(0)).hasMessage("a line has 1 to 10000 Mbit/s, not 0");
  }

  @Test
  void stacksAreKnownByTheirNames() {
    for (LineStack stack : LineStack.values()) {
      assertThat(LineStack.of(stack.word())).isEqualTo(stack);
    }
    assertThatThrownBy(() -> LineStack.of("carrier-pigeon"))
        .hasMessageStartingWith("'carrier-pigeon' is none of tutti-tcp,");
  }

  /// That a JVM can be started with them is shown by the deep test, which lets only ciphers be optimized.
  @Test
  void ciphersAreOptimizedByAFileBesideTheResults() throws Exception {
    assertThat(LineOptions.Optimized.ALL.flags(directory)).isEmpty();
    assertThat(LineOptions.Optimized.NONE.flags(directory)).containsExactly("-XX:TieredStopAtLevel=1");
    assertThat(LineOptions.Optimized.CIPHERS.flags(directory))
        .last()
        .isEqualTo("-XX:CompilerDirectivesFile=" + file("compiler.json").toAbsolutePath());
  }

  /// What others send comes in over one's own line, and what one sends is there already.
  @Test
  void theOptimumIsWhatLinesCarryInBothDirections() {
    assertThat(Senders.ONE.optimum(5)).isEqualTo(1);
    assertThat(Senders.ALL.optimum(5)).isCloseTo(1.25, within(1e-9));
    assertThat(Senders.ALL.optimum(2)).isEqualTo(2);
    assertThat(LineNetwork.Line.of(100).bytesPerSecond()).isEqualTo(12.5e6);
  }

  private static TrialOutcome outcome(double rate) {
    var values = new TreeMap<Measure, Double>();
    values.put(Measure.PAYLOAD, rate);
    values.put(Measure.OF_LINE, rate / 12.5e6);
    return new TrialOutcome(values, new TreeMap<>(), null, 1, new Machine.Load(true, 0, 0));
  }

  private static TrialSet trialSet(List<LineStack> stacks) {
    List<TrialSet.Trial> trials = new ArrayList<>();
    for (LineStack stack : stacks) {
      trials.add(new TrialSet.Trial(stack.word(), new LineRun.Named(stack), new Task.Flood(List.of(0), 1000, 1)));
    }
    return new TrialSet("lines", trials, 2);
  }

  private static void add(TrialSet trialSet, int number, double... rates) {
    trialSet.add(new TrialSet.Round(number, false, Arrays.stream(rates).mapToObj(LineTest::outcome).toList(), null));
  }

  @Test
  void aRowIsComparedWithTheBetterStackOfJGroupsInTheSameRound() {
    TrialSet trialSet = trialSet(List.of(LineStack.TUTTI_TCP, LineStack.JGROUPS_UDP, LineStack.JGROUPS_TCP));
    add(trialSet, 0, 6e6, 3e6, 2e6);
    add(trialSet, 1, 6e6, 1e6, 4e6);
    List<List<String>> rows = LineTable.rows(trialSet);
    assertThat(rows.getFirst()).startsWith("", "MB/s", "of the line", "of the optimum").endsWith("over JGroups");
    assertThat(rows.get(1)).startsWith("tutti-tcp", "6.00 [6.00..6.00]", "0.48 [0.48..0.48]");
    assertThat(rows.get(1).getLast()).isEqualTo("1.75 [1.50..2.00]");
    assertThat(rows.get(2).getLast()).isEqualTo("0.63 [0.25..1.00]");
    assertThat(rows).allSatisfy(row -> assertThat(row).hasSameSizeAs(rows.getFirst()));
  }

  @Test
  void withoutJGroupsThereIsNothingToCompareWith() {
    TrialSet trialSet = trialSet(List.of(LineStack.TUTTI_TCP));
    add(trialSet, 0, 6e6);
    assertThat(LineTable.rows(trialSet).get(1).getLast()).isEqualTo("-");
  }

  @Test
  void whatAStreamGetsIsShownWhereThereIsOne() {
    TrialSet trialSet = trialSet(List.of(LineStack.TUTTI_TCP));
    TrialOutcome outcome = outcome(6e6);
    outcome.values().put(Measure.STREAM, 5e6);
    trialSet.add(new TrialSet.Round(0, false, List.of(outcome), null));
    List<List<String>> rows = LineTable.rows(trialSet);
    assertThat(rows.getFirst()).endsWith("stream MB/s", "over JGroups");
    assertThat(rows.get(1)).endsWith("5.00", "-");
  }

  /// A few seconds on real lines, which carry no more than they should, and are gone afterwards.
  @Tag("socket")
  @Tag("deep")
  @Test
  void stacksAreMeasuredOnLinesThatAreRemoved() throws Exception {
    var text = new StringWriter();
    List<LineStack> some = List.of(LineStack.TUTTI_TCP, LineStack.TUTTI_MULTICAST, LineStack.RAW_MULTICAST);
    try {
      assertThat(LineRun.measure(options(List.of(3), some, 1000, 1), new PrintWriter(text))).as("%s", text).isTrue();
    } catch (Unavailable e) {
      Assumptions.abort("skipped: " + e.getMessage());
    }
    assertThat(text.toString())
        .contains("50 Mbit/s, 3 members, one sends, 1,000 B, queues of 40 ms; the line carries 6.3 MB/s")
        .contains("50 Mbit/s, 3 members, all send")
        .containsPattern("\\| tutti-tcp +\\| [1-9]\\.\\d\\d ")
        .containsPattern("\\| tutti-multicast +\\| \\d\\.\\d\\d ")
        .containsPattern("\\| raw-multicast +\\| [56]\\.\\d\\d +\\| 0\\.9\\d ")
        .doesNotContain("NaN");
    assertThat(file("results.json")).exists();
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
    Process list = new ProcessBuilder("ip", "netns", "list").start();
    assertThat(list.inputReader().lines()).noneMatch(name -> name.contains("-" + ProcessHandle.current().pid() + "-"));
  }

  private Path file(String name) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(path -> path.endsWith(name)).findFirst().orElseThrow();
    }
  }
}
