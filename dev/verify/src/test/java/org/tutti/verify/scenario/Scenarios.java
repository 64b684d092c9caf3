package org.tutti.verify.scenario;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.tutti.fixture.Tree;

/// The files in `docs/scenarios`.
final class Scenarios {
  private static final Path DIRECTORY = Path.of("docs", "scenarios");

  private Scenarios() {}

  /// Their names, as messages and links have them.
  static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(Tree.root().resolve(DIRECTORY))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".txt"))
          .sorted()
          .map(name -> "docs/scenarios/" + name)
          .toList();
    }
  }

  static Path path(String name) {
    return Tree.root().resolve(name);
  }

  static List<String> lines(String name) throws IOException {
    return Files.readAllLines(path(name));
  }
}
