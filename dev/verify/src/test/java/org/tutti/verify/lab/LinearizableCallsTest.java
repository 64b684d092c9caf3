package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.lab.CallHistory;
import org.tutti.lab.CallVerdict;

/// Both checkers of a lab's calls accept histories that are right, and refuse those in which something is planted.
class LinearizableCallsTest {
  @TempDir Path directory;

  private enum History {
    /// Everything once: results, an unknown outcome that shows later, one that never shows, and a refused call.
    RIGHT(
        true,
        put(1, 1),
        told(1, 0, 0),
        get(2),
        told(2, 1, 5),
        cas(3, 2, 1),
        put(4, 3),
        told(3, 1, 0),
        unknown(4),
        get(5),
        told(5, 2, 6),
        get(6),
        told(6, 3, 7),
        put(7, 4),
        refused(7),
        put(8, 9),
        unknown(8),
        remove(9),
        told(9, 3, 0),
        cas(10, 11, 3),
        told(10, 0, 0),
        get(11),
        told(11, 0, 0),
        put(12, 12)),
    STALE_READ(false, put(1, 1), told(1, 0, 0), put(2, 2), told(2, 1, 5), get(3), told(3, 1, 5)),
    NEW_THEN_OLD(false, put(1, 1), get(2), told(2, 1, 5), get(3), told(3, 0, 0), told(1, 0, 0)),
    REFUSED_AND_EXECUTED(false, put(1, 1), refused(1), get(2), told(2, 1, 5)),
    READ_BEFORE_IT_WAS_PUT(false, get(1), told(1, 7, 5), put(2, 7), told(2, 0, 0)),
    EXECUTED_TWICE(false, put(1, 1), unknown(1), put(2, 2), told(2, 1, 0), get(3), told(3, 1, 0)),
    BOTH_COMPARED_EQUAL(false, put(1, 1), told(1, 0, 0), cas(2, 2, 1), cas(3, 3, 1), told(2, 1, 0), told(3, 1, 0)),
    LOST(false, put(1, 1), told(1, 0, 0), remove(2), told(2, 0, 0));

    private final boolean right;
    private final List<String> lines;

    History(boolean right, String... lines) {
      this.right = right;
      this.lines = List.of(lines);
    }
  }

  private static String put(int call, int value) {
    return made(call, "put", value, 0);
  }

  private static String get(int call) {
    return made(call, "get", 0, 0);
  }

  private static String remove(int call) {
    return made(call, "remove", 0, 0);
  }

  private static String cas(int call, int value, int expected) {
    return made(call, "cas", value, expected);
  }

  private static String made(int call, String op, int value, int expected) {
    return "\"call\":%d,\"client\":%d,\"op\":\"%s\",\"key\":\"k1\",\"value\":%d,\"expected\":%d}"
        .formatted(call, call, op, value, expected);
  }

  private static String told(int call, int result, int version) {
    return ended(call, "told", result, version);
  }

  private static String unknown(int call) {
    return ended(call, "unknown", 0, 0);
  }

  private static String refused(int call) {
    return ended(call, "refused", 0, 0);
  }

  private static String ended(int call, String outcome, int result, int version) {
    return "\"call\":%d,\"outcome\":\"%s\",\"result\":%d,\"version\":%d}".formatted(call, outcome, result, version);
  }

  /// Each line a moment later than the one before.
  private Path write(List<String> lines) throws IOException {
    var text = new StringBuilder();
    for (String line : lines) {
      text.append("{\"at\":").append(1000 + text.length()).append(',').append(line).append('\n');
    }
    return Files.writeString(directory.resolve("calls.jsonl"), text);
  }

  @ParameterizedTest
  @EnumSource
  void ourCheckerTellsRightFromWrong(History history) throws Exception {
    CallVerdict verdict = CallHistory.read(write(history.lines)).judge();
    assertThat(verdict.word()).isEqualTo(history.right ? "LINEARIZABLE" : "NOT LINEARIZABLE");
    assertThat(verdict.violations()).hasSize(history.right ? 0 : 1).allMatch(found -> found.message().contains("k1"));
  }

  @Test
  void porcupineTellsRightFromWrong() throws Exception {
    Porcupine porcupine = Porcupine.build(directory);
    for (History history : History.values()) {
      Porcupine.Said said = porcupine.judge(write(history.lines));
      assertThat(said.words()).as(history.name()).contains(history.right ? ": LINEARIZABLE" : "to key k1");
      assertThat(said.exitCode()).as(history.name()).isEqualTo(history.right ? 0 : 1);
    }
  }

  @Test
  void callsAreCounted() throws Exception {
    CallVerdict verdict = CallHistory.read(write(History.RIGHT.lines)).judge();
    assertThat(verdict.told()).isEqualTo(8);
    assertThat(verdict.unknown()).as("one has no end").isEqualTo(3);
    assertThat(verdict.refused()).isEqualTo(1);
  }

  @Test
  void aValueWithTwoVersionsWasPutTwice() throws Exception {
    Path calls = write(List.of(put(1, 1), told(1, 0, 0), get(2), told(2, 1, 5), get(3), told(3, 1, 6)));
    assertThat(CallHistory.read(calls).judge().violations())
        .singleElement()
        .satisfies(found -> assertThat(found.property()).isEqualTo("ExactlyOnce"));
  }

  @Test
  void aTornLineIsTheEnd() throws Exception {
    Path calls = write(Stream.of(put(1, 1), told(1, 0, 0)).toList());
    String text = Files.readString(calls);
    Files.writeString(calls, text + "{\"at\":5000,\"call\":2,\"clie");
    assertThat(CallHistory.read(calls).judge().calls()).isEqualTo(1);
    assertThat(Porcupine.build(directory).judge(calls).exitCode()).isZero();
  }
}
