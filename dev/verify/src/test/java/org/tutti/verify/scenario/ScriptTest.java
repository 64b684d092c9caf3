package org.tutti.verify.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A script that is stale or malformed is refused with its file and line.
class ScriptTest {
  private static final List<String> GOOD =
      List.of(
          "# A comment.",
          "nodes 2",
          "",
          "group n1 n2",
          "----",
          "   150ms the group is in view 2.n1 primary [n1 n2]",
          "",
          "# Another one.",
          "multicast n2 \"a b\"",
          "run 0ms",
          "deliveries",
          "----",
          "n1: nothing",
          "n2: nothing",
          "",
          "# The end.");

  @Test
  void whatIsExpectedIsShown() {
    assertThat(Commands.difference("a.txt", GOOD)).isNull();
  }

  @Test
  void rewritingChangesNothingElse() {
    Script script = Script.read("a.txt", GOOD);
    assertThat(script.with(Commands.run(script))).isEqualTo(GOOD);
    assertThat(script.with(List.of(List.of("x", "y"), List.of())))
        .startsWith("# A comment.", "nodes 2", "", "group n1 n2", "----", "x", "y", "", "# Another one.")
        .endsWith("deliveries", "----", "", "# The end.");
  }

  @ParameterizedTest
  @CsvSource({
    "5, a.txt:6: here the trace is another one",
    "12, a.txt:13: here the trace is another one",
    "13, a.txt:14: here the trace is another one"
  })
  void aStaleLineIsNamed(int stale, String words) {
    List<String> lines = with(stale, "n7: whatever");
    assertThat(Commands.difference("a.txt", lines)).startsWith(words).contains("expected: n7: whatever");
  }

  @Test
  void aMissingAndASuperfluousLineAreNamed() {
    List<String> shorter = new ArrayList<>(GOOD);
    shorter.remove(13);
    assertThat(Commands.difference("a.txt", shorter)).startsWith("a.txt:14:").contains("was:      n2: nothing");
    List<String> longer = new ArrayList<>(GOOD);
    longer.add(14, "n3: nothing");
    assertThat(Commands.difference("a.txt", longer)).startsWith("a.txt:15:").contains("was:      (the end");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "11 ; run 5ms ; a.txt:9: no line ---- follows this command",
        "7  ; ----    ; a.txt:8: no command stands before ----",
        "14 ; ----    ; a.txt:15: an empty line is missing before the commands above this line",
        "8  ; multicst n1 a          ; a.txt:9: there is no command multicst",
        "8  ; multicast n3 a         ; a.txt:9: there is no node n3",
        "8  ; multicast n1           ; a.txt:9: multicast NODE TEXT",
        "8  ; multicast n1 a service=fast ; a.txt:9: fast is none of",
        "9  ; run 10                 ; a.txt:10: run MILLISECONDSms",
        "9  ; run until n1 together  ; a.txt:10: 30000 ms have passed and it is not so that n1 together",
        "9  ; run until shown words  ; a.txt:10: 30000 ms have passed and it is not so that a line with words is shown",
        "3  ; group n1 n2 colour=red ; a.txt:4: there is no setting colour",
        "3  ; group n1 n2 n3         ; a.txt:4: there is no node n3",
        "3  ; group                  ; a.txt:4: which node?",
        "1  ; nodes 0                ; a.txt:2: 1 to 9 nodes, once",
        "8  ; partition n1 n2        ; a.txt:9: partition NODE... | NODE...",
        "8  ; cut n1 n2              ; a.txt:9: cut NODE -> NODE",
        "8  ; restart n1             ; a.txt:9: n1 has not crashed",
        "8  ; show batches           ; a.txt:9: order can be shown, not batches",
        "8  ; switch n1 chaos        ; a.txt:9: chaos is none of"
      })
  void aMistakeIsNamed(int at, String line, String words) {
    assertThatThrownBy(() -> Commands.difference("a.txt", with(at, line)))
        .isInstanceOf(ScriptException.class)
        .hasMessageStartingWith(words);
  }

  @Test
  void aCrashedNodeIsAskedForNothing() {
    List<String> lines = List.of("nodes 1", "create n1", "crash n1", "multicast n1 a", "----");
    assertThatThrownBy(() -> Commands.difference("a.txt", lines)).hasMessage("a.txt:4: n1 has crashed");
  }

  private static List<String> with(int at, String line) {
    List<String> lines = new ArrayList<>(GOOD);
    lines.set(at, line);
    return lines;
  }
}
