package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Programs of this machine that tests of what is built use.
public final class HostProgram {
  private HostProgram() {}

  /// Whether a program is there.
  ///
  /// @param name as it is found by `PATH`
  /// @return whether it can be run
  public static boolean isThere(String name) {
    return Stream.of(System.getenv("PATH").split(":")).anyMatch(in -> Files.isExecutable(Path.of(in, name)));
  }

  /// Runs one, which has to succeed.
  ///
  /// @return what it has printed, errors too
  static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as("%s: %s", List.of(command), text).isZero();
    return text;
  }
}
