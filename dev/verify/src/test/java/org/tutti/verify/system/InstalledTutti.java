package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.tutti.fixture.Tree;
import org.tutti.verify.cli.TuttiCommand;

/// The `tutti` command as an operator has it: unpacked from what `-Pdist` has packed, if that is not older than the
/// classes of the source tree; else from these.
final class InstalledTutti {
  private static final String JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx128m";
  private static final List<String> MODULES = List.of("core", "net", "store", "registry", "certs", "cli");

  private final Optional<Path> program;
  private final Path logging;

  private InstalledTutti(Optional<Path> program, Path logging) {
    this.program = program;
    this.logging = logging;
  }

  /// Another build of it, which is there.
  ///
  /// @param home the directory of its `bin` and `lib`
  static InstalledTutti at(Path home) {
    return new InstalledTutti(Optional.of(home.resolve("bin/tutti")), home);
  }

  /// Finds it, or unpacks it.
  ///
  /// @param directory where to
  static InstalledTutti in(Path directory) throws IOException, InterruptedException {
    // Of the source tree the tests' logging would be used, which is not the command's.
    Path logging = directory.resolve("logging.properties");
    Files.writeString(
        logging,
        """
        handlers = java.util.logging.ConsoleHandler
        java.util.logging.SimpleFormatter.format = %1$tFT%1$tT.%1$tL%1$tz %4$s %3$s %5$s%6$s%n
        """);
    Optional<Path> archive = archive();
    if (archive.isEmpty()) {
      return new InstalledTutti(Optional.empty(), logging);
    }
    Path home = Files.createDirectories(directory.resolve("tutti"));
    List<String> tar = List.of("tar", "xzf", archive.get().toString(), "-C", home.toString(), "--strip-components=1");
    assertThat(new ProcessBuilder(tar).inheritIO().start().waitFor()).as("%s", tar).isZero();
    return new InstalledTutti(Optional.of(home.resolve("bin/tutti")), logging);
  }

  private static Optional<Path> archive() throws IOException {
    Path target = Tree.root().resolve("cli/target");
    if (!Files.isDirectory(target)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.list(target)) {
      return files.filter(file -> file.toString().endsWith(".tar.gz")).filter(InstalledTutti::isCurrent).findFirst();
    }
  }

  private static boolean isCurrent(Path archive) {
    return MODULES.stream()
        .map(module -> Tree.root().resolve(module).resolve("target/classes"))
        .filter(Files::isDirectory)
        .allMatch(classes -> newest(classes).compareTo(modified(archive)) <= 0);
  }

  private static FileTime newest(Path classes) {
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .filter(Files::isRegularFile)
          .map(InstalledTutti::modified)
          .max(Comparator.naturalOrder())
          .orElse(FileTime.fromMillis(0));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /// Which one it is, in words.
  String which() {
    return program.isPresent() ? "the distribution of -Pdist" : "the modules of the source tree (no current -Pdist)";
  }

  /// A process of it that was not started yet.
  ///
  /// @param before a program that runs it, with its arguments; may be empty
  ProcessBuilder process(List<String> before, List<String> args) {
    var command = new ArrayList<>(before);
    if (program.isPresent()) {
      command.add(program.get().toString());
      command.addAll(args);
    } else {
      List<String> java = List.of("-Djava.util.logging.config.file=" + logging);
      command.addAll(TuttiCommand.of(java, args.toArray(String[]::new)));
    }
    var builder = new ProcessBuilder(command);
    builder.environment().put("TUTTI_JAVA_OPTS", JAVA);
    return builder;
  }
}
