package org.tutti.verify.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The scenarios in `docs/scenarios` show what the engine does. With `-Dtutti.rewrite=true` what they expect is written
/// anew instead of compared.
class ScenarioTest {
  private static final String ADVICE = "if you understand why, -Dtutti.rewrite=true (docs/testing.md#scenarios)";

  static List<String> names() throws IOException {
    return Scenarios.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void theTraceIsTheOneInTheFile(String name) throws IOException {
    List<String> lines = Scenarios.lines(name);
    if (Boolean.getBoolean("tutti.rewrite")) {
      Script script = Script.read(name, lines);
      Files.writeString(Scenarios.path(name), String.join("\n", script.with(Commands.run(script))) + "\n");
    } else {
      assertThat(Commands.difference(name, lines)).as(ADVICE).isNull();
    }
  }

  @Test
  void theIndexNamesAllOfThem() throws IOException {
    String index = Files.readString(Scenarios.path("docs/scenarios/README.md"));
    assertThat(Scenarios.names())
        .allSatisfy(name -> assertThat(index).contains("(" + name.replaceFirst(".*/", "") + ")"));
  }
}
