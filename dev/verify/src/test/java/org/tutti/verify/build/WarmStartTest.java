package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;

/// An ahead-of-time cache that is made as operate.md says is really used, and does no harm when the jars have changed
/// or when it is missing.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmStartTest {
  @TempDir Path directory;

  private Path cache;

  @BeforeEach
  void train() throws Exception {
    String version = Pom.of("").version();
    Path made = Tree.root().resolve("cli/target/tutti/tutti-" + version);
    assumeThat(made).as("run `./mvnw package` first: it makes the operator's command").isDirectory();
    copy(made, directory.resolve("tutti"));
    cache = directory.resolve("tutti.aot");
    assertThat(member("-XX:AOTCacheOutput=" + cache)).isZero();
    assertThat(cache).isNotEmptyFile();
  }

  @Test
  @Tag("deep")
  void aMemberStartsWithTheCache() throws Exception {
    assertThat(member("-XX:AOTMode=on -XX:AOTCache=" + cache)).isZero();
  }

  @Test
  @Tag("deep")
  void aStaleCacheDoesNoHarm() throws Exception {
    try (Stream<Path> jars = Files.list(directory.resolve("tutti/lib"))) {
      for (Path jar : jars.filter(each -> each.getFileName().toString().startsWith("tutti-core")).toList()) {
        Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
      }
    }
    assertThat(member("-XX:AOTMode=on -XX:AOTCache=" + cache)).as("the JVM sees that it is stale").isNotZero();
    assertThat(member("-XX:AOTCache=" + cache + " -Xlog:aot=off -Xlog:cds=off")).isZero();
  }

  @Test
  @Tag("deep")
  void aMissingCacheDoesNoHarm() throws Exception {
    Files.delete(cache);
    assertThat(member("-XX:AOTCache=" + cache + " -Xlog:aot=off -Xlog:cds=off")).isZero();
  }

  /// Starts a member, ends it in an orderly way when it has its first view, and returns its exit code.
  private int member(String options) throws Exception {
    String command = directory.resolve("tutti/bin/tutti").toString();
    var builder =
        new ProcessBuilder(
            List.of(command, "member", "--group", "bank", "--create", "--name", "n1", "--listen", "127.0.0.1:0"));
    builder.environment().put("TUTTI_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("TUTTI_JAVA_OPTS", options);
    Process member = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines = member.inputReader()) {
      if (lines.lines().anyMatch(line -> line.matches("view \\S+ primary: n1"))) {
        member.toHandle().destroy();
      }
      return member.waitFor();
    } finally {
      member.destroyForcibly();
    }
  }

  /// Copies the command without a cache: another test may be making one there.
  private static void copy(Path from, Path to) throws Exception {
    Files.createDirectory(to);
    for (String part : List.of("bin", "lib")) {
      try (Stream<Path> files = Files.walk(from.resolve(part))) {
        for (Path file : files.toList()) {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
      }
    }
  }
}
