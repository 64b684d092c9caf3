package org.tutti.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.sim.check.Violation;

/// History files written by hand: two members in one view, n1 multicasts two messages.
class HistoryFilesTest {
  private static final List<String> FIRST =
      List.of(
          "10 K 0 n1 a:1 100",
          "11 E 1",
          "12 V 1.100 1 0",
          "13 H 0",
          "20 K 1 n2 b:1 200",
          "21 V 2.100 1 0,1 1.100",
          "24 G 0 0 0",
          "30 S 0 8 77",
          "31 S 1 8 78",
          "40 F 0",
          "41 D 0 0 0 8 77",
          "42 F 1",
          "43 D 1 0 1 8 78");
  private static final List<String> SECOND =
      List.of(
          "15 K 0 n2 b:1 200",
          "16 E 0",
          "22 K 1 n1 a:1 100",
          "23 V 2.100 1 1,0 1.100",
          "25 O 1 0",
          "26 R 1 0 0 0",
          "45 B 0",
          "45 H 0",
          "45 D 0 1 0 8 77",
          "46 D 1 1 1 8 78");

  @TempDir Path directory;

  @BeforeEach
  void write() throws IOException {
    write("n1-1", FIRST);
    write("n2-1", SECOND);
  }

  private void write(String life, List<String> lines) throws IOException {
    Files.writeString(file(life), lines.stream().map(line -> line + " .\n").collect(Collectors.joining()));
  }

  private void replace(String life, String what, String with) throws IOException {
    String text = Files.readString(file(life));
    assertThat(text).contains(what);
    Files.writeString(file(life), text.replace(what, with));
  }

  private Path file(String life) {
    return directory.resolve(life + ".history");
  }

  private List<String> violated() throws IOException {
    LabVerdict verdict = HistoryFiles.read(directory).judge(null);
    return verdict.violations().stream().map(Violation::property).distinct().toList();
  }

  @Test
  void whatHoldsHolds() throws IOException {
    LabVerdict verdict = HistoryFiles.read(directory).judge(null);
    assertThat(verdict.violations()).isEmpty();
    assertThat(verdict)
        .returns(2, LabVerdict::lives)
        .returns(2, LabVerdict::primaries)
        .returns(4L, LabVerdict::deliveries);
  }

  @Test
  void anotherOrderIsSeen() throws IOException {
    replace("n2-1", "45 D 0 1 0 8 77", "45 D 0 1 1 8 78");
    replace("n2-1", "46 D 1 1 1 8 78", "46 D 1 1 0 8 77");
    assertThat(violated()).contains("UniformTotalOrder", "FifoOrder", "EqualState");
  }

  @Test
  void aForgedMessageIsSeen() throws IOException {
    replace("n2-1", "8 78", "8 79");
    assertThat(violated()).contains("Integrity");
  }

  @Test
  void aMissingDeliveryIsSeen() throws IOException {
    replace("n2-1", "46 D 1 1 1 8 78 .\n", "");
    assertThat(violated()).contains("NothingLost", "EqualState");
  }

  @Test
  void aStateThatNobodyGaveIsSeen() throws IOException {
    replace("n2-1", "26 R 1 0 0 0", "26 R 1 0 0 5");
    assertThat(violated()).contains("StateContinuity");
  }

  @Test
  void aFateWithoutDeliveryIsSeen() throws IOException {
    replace("n1-1", "42 F 1", "42 F 7");
    assertThat(violated()).contains("DecidedMatchesDelivery");
  }

  @Test
  void anotherMembersListIsSeen() throws IOException {
    replace("n2-1", "23 V 2.100 1 1,0", "23 V 2.100 1 0,1");
    assertThat(violated()).contains("ViewsAgree");
  }

  @Test
  void anEndThatNobodyWantedIsSeen() throws IOException {
    replace("n2-1", "8 78 .\n", "8 78 .\n47 C NODE_FAILED a bug .\n");
    assertThat(violated()).contains("NoBrokenInvariant");
  }

  @Test
  void theLineThatAKillToreIsLeftOut() throws IOException {
    replace("n2-1", "46 D 1 1 1 8 78 .\n", "46 D 1 1\n\n50 X .\n");
    assertThat(violated()).isEmpty();
  }

  @Test
  void aLineThatIsTornForNoReasonIsRefused() throws IOException {
    replace("n2-1", "45 D 0 1 0 8 77 .", "45 D 0 1");
    assertThatThrownBy(() -> HistoryFiles.read(directory)).isInstanceOf(IOException.class).hasMessageContaining("torn");
  }

  @Test
  void whoeverIsLeftWithoutAQuorumIsNotBlamed() throws IOException {
    replace("n1-1", "43 D 1 0 1 8 78 .\n", "43 X .\n");
    LabVerdict verdict = HistoryFiles.read(directory).judge("n2 is alone");
    assertThat(verdict.lostQuorum()).isTrue();
    assertThat(verdict.violations()).isEmpty();
  }

  @Test
  void aGroupThatCouldGoOnAndDoesNotIsBlamed() throws IOException {
    LabVerdict verdict = HistoryFiles.read(directory).judge("n2 is alone");
    assertThat(verdict.lostQuorum()).isFalse();
    assertThat(verdict.violations()).extracting(Violation::property).containsExactly("Convergence");
  }
}
