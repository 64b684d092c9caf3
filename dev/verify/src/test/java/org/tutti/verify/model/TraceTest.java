package org.tutti.verify.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tutti.verify.model.ShownEvents.Line;

/// What applications are shown in a run of the simulator, with a split and a merge, is a behaviour of the model of
/// docs/tla, and is none any more when a line of it contradicts the others. `-Dtrace.first=` and `-Dtrace.runs=` name
/// other seeds, and how many runs.
class TraceTest {
  private static final long FIRST = Long.getLong("trace.first", 293); // with a split, a merge and a state transfer
  private static final long RUNS = Long.getLong("trace.runs", 1);
  private static final long SEEDS_MAX = 3000;
  private static final int VIEWS_MAX = 3;
  private static final int MESSAGES_MAX = 3;
  private static final Pattern SHOWN = Pattern.compile("<<\"shown\", (\\d+)>>");

  @TempDir private Path work;

  /// The next seeds whose runs are small enough for TLC.
  static LongStream seeds() {
    return fit(TraceTest::isSmall).limit(RUNS);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aRunOfTheSimulatorIsABehaviourOfTheModel(long seed) throws Exception {
    List<Line> lines = lines(seed);
    assertThat(possible(lines)).as(lines.toString()).isEqualTo(lines.size());
  }

  /// Had a quorum held the message, the next primary view would not have begun without it.
  @Test
  @Tag("deep")
  void aDeliveryBeforeAQuorumHoldsTheMessageIsNone() throws Exception {
    List<Line> lines = lonelyRun();
    lines.addFirst(lines.remove(late(lines)));
    assertThat(possible(lines)).isEqualTo(1);
  }

  @Test
  @Tag("deep")
  void aDeliveryInAMinorityIsNone() throws Exception {
    List<Line> lines = lonelyRun();
    int minority = minority(lines);
    lines.add(minority + 1, lines.remove(late(lines)));
    assertThat(possible(lines)).isEqualTo(minority + 1);
  }

  @Test
  void aSecondPrimaryViewIsNone() throws Exception {
    List<Line> lines = lonelyRun();
    int minority = minority(lines);
    Line line = lines.get(minority);
    lines.set(minority, new Line(line.who(), line.kind(), line.what().replace("FALSE", "TRUE")));
    assertThat(possible(lines)).isLessThanOrEqualTo(minority); // less, as nothing else is proposed in its place
  }

  /// How many lines, from the first on, a behaviour of the model can show.
  private int possible(List<Line> lines) throws IOException, InterruptedException {
    for (String file : List.of("PrimaryViews.tla", "TraceOfRun.tla", "TraceOfRun.cfg")) {
      Files.copy(Tlc.docs().resolve(file), work.resolve(file));
    }
    String events = lines.stream().map(Line::toString).collect(Collectors.joining(",\n  "));
    Files.writeString(
        work.resolve("Trace.tla"),
        "---- MODULE Trace ----\nEXTENDS Naturals, Sequences\nEvents == <<\n  " + events + ">>\n====\n");
    Tlc tlc = Tlc.run(work, "TraceOfRun", false);
    assertThat(tlc.exit()).as(tlc.said()).isZero();
    Matcher shown = SHOWN.matcher(tlc.said());
    int most = 0;
    while (shown.find()) {
      most = Integer.parseInt(shown.group(1));
    }
    return most;
  }

  private static LongStream fit(Predicate<List<Line>> what) {
    return LongStream.range(FIRST, FIRST + SEEDS_MAX).filter(seed -> isFit(ShownEvents.of(seed), what));
  }

  private static boolean isFit(@Nullable List<Line> lines, Predicate<List<Line>> what) {
    return lines != null && what.test(lines);
  }

  private static boolean isSmall(List<Line> lines) {
    long views = lines.stream().filter(Line::isAgreed).map(Line::what).distinct().count();
    long messages = lines.stream().filter(line -> !line.isView()).map(Line::what).distinct().count();
    return views <= VIEWS_MAX && messages > 0 && messages <= MESSAGES_MAX;
  }

  /// A run in which a member is in a view of its own, and messages are delivered only by the others' view, not before.
  private static List<Line> lonelyRun() {
    return lines(fit(TraceTest::isLonely).findFirst().orElseThrow());
  }

  private static boolean isLonely(List<Line> lines) {
    return isSmall(lines) && lines.getFirst().isView() && minority(lines) >= 0 && late(lines) >= 0;
  }

  private static List<Line> lines(long seed) {
    List<Line> lines = ShownEvents.of(seed);
    assertThat(lines).isNotNull();
    return new ArrayList<>(lines);
  }

  /// Where somebody is shown a view that is not primary, or -1.
  private static int minority(List<Line> lines) {
    for (int at = 0; at < lines.size(); at++) {
      if (lines.get(at).isAgreed() && !lines.get(at).isPrimary()) {
        return at;
      }
    }
    return -1;
  }

  /// Where that member is shown a message that others were shown before it left, or -1.
  private static int late(List<Line> lines) {
    int minority = minority(lines);
    for (int at = minority + 1; at < lines.size(); at++) {
      Line line = lines.get(at);
      boolean known = lines.subList(0, minority).stream().anyMatch(other -> other.what().equals(line.what()));
      if (!line.isView() && line.who() == lines.get(minority).who() && known) {
        return at;
      }
    }
    return -1;
  }
}
