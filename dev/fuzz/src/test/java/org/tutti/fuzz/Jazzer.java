package org.tutti.fuzz;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Runs of Jazzer, each in a process of its own, with files in a directory that is gone afterwards.
final class Jazzer implements AutoCloseable {
  /// Longer inputs than this are tried, but not recorded: what a short one does not reach is seldom worth a long one.
  static final int RECORDED_BYTES_MAX = 400;

  private static final int HANG_SECONDS =
      10; // for one input: what is no hang takes a millisecond, on a busy machine more
  private static final int INTERRUPTED = 72; // exit codes of libFuzzer, and of Jazzer for a finding
  private static final int HANGS = 70;
  private static final int FINDING = 77;
  private static final Pattern EXECUTIONS = Pattern.compile("stat::number_of_executed_units: *(\\d+)");

  /// What came of a run.
  ///
  /// @param executions  how many inputs were tried
  /// @param finding     what was broken, in words; empty when nothing was
  /// @param interrupted whether somebody ended it before its time
  record Outcome(long executions, String finding, boolean interrupted) {}

  private final Collection<String> targets;
  private final Path work;

  /// For these targets together; of several, the first byte of an input says which one is meant.
  Jazzer(Collection<String> targets) throws IOException {
    this.targets = targets;
    this.work = Files.createTempDirectory("tutti-fuzz");
    for (Path each : List.of(recorded(), found(), broken(), merged())) {
      Files.createDirectory(each);
    }
  }

  /// Where inputs to begin with are to be put.
  Path recorded() {
    return work.resolve("recorded");
  }

  /// The inputs that [#fuzz] has added.
  private Path found() {
    return work.resolve("found");
  }

  private Path broken() {
    return work.resolve("broken");
  }

  /// The inputs that [#merge] has chosen.
  Path merged() {
    return work.resolve("merged");
  }

  /// Looks for inputs that reach new code, or break something.
  ///
  /// @param lines gets what Jazzer says
  Outcome fuzz(long seconds, int seed, Consumer<String> lines) throws IOException, InterruptedException {
    return run(
        List.of("-seed=" + seed, "-max_total_time=" + seconds, found().toString(), recorded().toString()), lines);
  }

  /// Chooses from all inputs few that reach the same code.
  Outcome merge() throws IOException, InterruptedException {
    return run(
        List.of(
            "-merge=1",
            "-max_len=" + RECORDED_BYTES_MAX,
            merged().toString(),
            recorded().toString(),
            found().toString()),
        _ -> {});
  }

  /// The input that broke something, after a [#fuzz] with a finding.
  byte[] breaking() throws IOException {
    try (Stream<Path> files = Files.list(broken())) {
      Path file = files.filter(each -> !each.toString().endsWith(".java")).findFirst().orElseThrow();
      return Files.readAllBytes(file);
    }
  }

  private Outcome run(List<String> options, Consumer<String> lines) throws IOException, InterruptedException {
    var words = new StringBuilder();
    long executions = 0;
    Process process = new ProcessBuilder(command(options)).redirectErrorStream(true).start();
    try (BufferedReader out = process.inputReader()) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.accept(line);
        Matcher count = EXECUTIONS.matcher(line);
        executions = count.matches() ? Long.parseLong(count.group(1)) : executions;
        if (line.startsWith("== Java Exception: ") || line.startsWith("Caused by: ") || line.startsWith("ALARM: ")) {
          words.append(words.isEmpty() ? "" : "; ").append(line.replaceFirst("^[A-Za-z= ]*: ", ""));
        }
      }
    } finally {
      process.destroy();
    }
    int code = process.waitFor();
    if (code != 0 && code != INTERRUPTED && code != FINDING && code != HANGS) {
      throw new IOException("Jazzer ended with " + code + ": " + words);
    }
    return new Outcome(executions, code == FINDING || code == HANGS ? "broke: " + words : "", code == INTERRUPTED);
  }

  private List<String> command(List<String> options) {
    var command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx512m",
                "-XX:+EnableDynamicAgentLoading",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + work,
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + JazzerEntry.class.getName(),
                "--target_args=" + String.join(" ", targets),
                "--instrumentation_includes=org.tutti.**",
                "--instrumentation_excludes=org.tutti.fuzz.**",
                "--custom_hook_includes=org.tutti.**",
                "--reproducer_path=" + work,
                "-artifact_prefix=" + broken() + "/",
                "-timeout=" + HANG_SECONDS,
                "-rss_limit_mb=0", // the heap is bounded, and each input by its Trial
                "-print_final_stats=1"));
    command.addAll(options);
    return command;
  }

  @Override
  public void close() {
    try {
      Files.walkFileTree(
          work,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
              Files.delete(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
              Files.delete(directory);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
