package org.tutti.verify.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.tutti.fixture.Tree;

/// One run of TLC, in a process of its own.
///
/// @param exit 0, or TLC's code for what it found
/// @param said its output
record Tlc(int exit, String said) {
  private static final int MINUTES_MAX = 10; // on a machine with much else to do: only what hangs ends so

  /// The directory of the models.
  static Path docs() {
    return Tree.root().resolve("docs/tla");
  }

  /// Checks a module.
  ///
  /// @param work   where it and its configuration are
  /// @param module its name
  /// @param large  whether there are many states
  static Tlc run(Path work, String module, boolean large) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        large
            ? List.of("-XX:+UseParallelGC", "-Xmx1g")
            : List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    command.add("-Djava.io.tmpdir=" + work); // where TLC unpacks its modules
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "tlc2.TLC"));
    command.addAll(List.of("-workers", large ? "auto" : "1", "-nowarning", module + ".tla"));
    Path output = work.resolve("output.txt");
    Process tlc =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = tlc.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
    tlc.destroyForcibly().waitFor();
    String said = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(ended).as("TLC ends in time:\n" + said).isTrue();
    if (tlc.exitValue() == 0) {
      assertThat(said).contains("No error has been found");
    }
    return new Tlc(tlc.exitValue(), said);
  }
}
