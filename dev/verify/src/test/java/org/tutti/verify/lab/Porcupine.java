package org.tutti.verify.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tutti.fixture.Tree;

/// The program in Go that has Porcupine look for an order of the calls of a lab's clients, built for one test.
final class Porcupine {
  private static final String SOURCE = "dev/verify/src/test/go/linearizable";
  private static final Path USUAL = Path.of("/usr/local/go/bin");

  private final Path program;

  /// What it says.
  ///
  /// @param exitCode 0 if there is an order for each key
  /// @param words    what it prints
  record Said(int exitCode, String words) {}

  private Porcupine(Path program) {
    this.program = program;
  }

  /// Builds the program, or skips the test and says why.
  ///
  /// @param directory where to put it
  /// @return the program
  static Porcupine build(Path directory) throws Exception {
    String go =
        Stream.concat(Arrays.stream(System.getenv("PATH").split(":")).map(Path::of), Stream.of(USUAL))
            .map(path -> path.resolve("go"))
            .filter(Files::isExecutable)
            .map(Path::toString)
            .findFirst()
            .orElseGet(() -> Assumptions.abort("skipped: no command 'go' here, which Porcupine needs"));
    Path source = Tree.root().resolve(SOURCE);
    Said fetched = run(source, List.of(go, "mod", "download"));
    if (fetched.exitCode != 0) {
      Assumptions.abort("skipped: Porcupine cannot be fetched: " + fetched.words.strip());
    }
    Path program = directory.resolve("linearizable");
    Said built = run(source, List.of(go, "build", "-mod=readonly", "-o", program.toString(), "."));
    assertThat(built.exitCode).as(built.words).isZero();
    return new Porcupine(program);
  }

  /// Looks for an order.
  ///
  /// @param calls the file of the calls
  /// @return the verdict
  Said judge(Path calls) throws Exception {
    return run(calls.getParent(), List.of(program.toString(), calls.toString()));
  }

  private static Said run(Path directory, List<String> command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    builder.environment().put("GOTOOLCHAIN", "local"); // the one that is there
    Process process = builder.start();
    try {
      String words = new String(process.getInputStream().readAllBytes());
      return new Said(process.waitFor(), words);
    } finally {
      process.destroyForcibly();
    }
  }
}
