package org.tutti.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.tutti.Ordering;
import org.tutti.transport.TransportProvider;

/// What `tutti bench` runs.
class BenchTest {
  private static final List<Ordering> ALL = Arrays.asList(Ordering.values());

  /// The cost model, for every ordering and n = 2 to 8.
  @Test
  void whatIsCountedEqualsTheFormula() {
    var text = new StringWriter();
    boolean equal = CostTable.print(ALL, new PrintWriter(text));
    assertThat(equal).as("%s", text).isTrue();
    assertThat(text.toString()).contains("counted equals formula everywhere");
    for (Ordering ordering : ALL) {
      for (int n = 2; n <= 8; n++) {
        String row = String.format(Locale.ROOT, "%-10s %d  ", ordering.name().toLowerCase(Locale.ROOT), n);
        assertThat(text.toString().lines().filter(line -> line.startsWith(row))).as(row).hasSize(3);
      }
    }
  }

  /// The closed system: a row for each transport, ordering and size, and the pings.
  @Tag("socket")
  @Test
  @Tag("deep")
  void aClosedSystemIsMeasuredForEveryOrdering() throws Exception {
    var text = new StringWriter();
    List<TransportProvider> tcp = List.of(ClosedBenchmark.transportsByName().get("tcp"));
    ClosedBenchmark.run(
        new ClosedBenchmark.Options(tcp, ALL, List.of(2, 3), List.of(100, 1000), 2, Duration.ofMillis(20)),
        new PrintWriter(text));
    for (Ordering ordering : ALL) {
      String row = "tcp        " + ordering.name().toLowerCase(Locale.ROOT);
      assertThat(text.toString().lines().filter(line -> line.startsWith(row)))
          .as("two sizes, two lengths: %s", text)
          .hasSize(4)
          .allMatch(line -> line.matches(".* \\d[\\d,]* \\[.*") && !line.contains("NaN"));
    }
    assertThat(text.toString())
        .containsPattern("tcp +\\d+ \\[\\d+\\.\\.\\d+] +2.7 ms")
        .containsPattern("sequencer .* 6 ms");
  }

  /// Clients and servers: both cases, with the server that orders beside the others.
  @Tag("socket")
  @Test
  @Tag("deep")
  void clientsAndServersAreMeasuredInBothCases() throws Exception {
    var text = new StringWriter();
    TransportProvider tcp = ClosedBenchmark.transportsByName().get("tcp");
    Duration moment = Duration.ofMillis(30);
    ClientServerBenchmark.run(
        new ClientServerBenchmark.Options(tcp, Ordering.SEQUENCER, List.of(1, 3), List.of(1, 2), 100, 2, moment),
        new PrintWriter(text));
    for (String row : List.of("A     1        1", "B     1        2", "A     3        1", "B     3        2")) {
      assertThat(text.toString().lines().filter(line -> line.startsWith(row)))
          .as("%s", text)
          .singleElement()
          .asString()
          .containsPattern("\\d \\[\\d");
    }
    assertThat(text.toString().lines().filter(line -> line.startsWith("A     3        2")))
        .as("times at the sequencer and at the others")
        .allMatch(line -> line.matches("(.*\\[.*){5}"));
  }

  /// Group interprocess communication: every row of the thesis's tables, and the questions a second.
  @Tag("socket")
  @Test
  @Tag("deep")
  void communicationWithGroupsIsMeasuredAsInTheThesis() throws Exception {
    var text = new StringWriter();
    TransportProvider tcp = ClosedBenchmark.transportsByName().get("tcp");
    IpcBenchmark.run(new IpcBenchmark.Options(tcp, 8, 2, Duration.ofMillis(10)), new PrintWriter(text));
    assertThat(text.toString().lines().filter(line -> line.matches("\\S+ +(process +|remote +|local +)?\\d+ .* ms")))
        .as("%s", text)
        .hasSize(7 + 6 + 16 + 6 + 5)
        .allMatch(line -> line.matches(".* \\d[\\d,]* \\[.*") && !line.contains("NaN"));
    assertThat(
            text.toString()
                .lines()
                .filter(line -> line.matches("(empty|send 1|ask 1|no wait|no buffer|1 process) +\\d+ .* -")))
        .as("attached programs, and what the thesis proposes: %s", text)
        .hasSize(3 + 2 + 5 + 1);
    assertThat(text.toString()).containsPattern("8 processes ask: \\d[\\d,]* \\[");
  }
}
