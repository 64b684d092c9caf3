package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.tutti.fixture.Tree;

/// The build that is upgraded from: of the last tag `v*`, or as long as there is none of the commit in the resource
/// `upgrade-base`. It is made once, below the root's `target/upgrade-base`, from what git has of that commit.
final class EarlierBuild {
  private static final Path BASE = Tree.root().resolve("dev/verify/src/test/resources/upgrade-base");
  private static final Path BUILDS = Tree.root().resolve("target/upgrade-base");
  private static final String BUILT = "built"; // a file that is there when a build is whole
  private static final List<String> PACKAGE =
      List.of("-Dmaven.test.skip=true", "-Dmaven.source.skip=true", "-pl", "cli,blocks", "-am", "package");
  private static final long BUILD_MINUTES_MAX = 12; // half a minute of two cores, if they do nothing else
  private static final long GIT_SECONDS_MAX = 60;
  private static final int TAIL = 20; // lines that a failure shows

  private final String name;
  private final Path root;

  private EarlierBuild(String name, Path root) {
    this.name = name;
    this.root = root;
  }

  /// Makes it, or finds it made; skips the test with a line that says why where it cannot be had.
  static EarlierBuild make() throws IOException, InterruptedException {
    String name = chosen();
    String commit = commit(name);
    Files.createDirectories(BUILDS);
    Path root = BUILDS.resolve(commit);
    // Of two builds of this tree one waits for the other.
    try (var channel = FileChannel.open(BUILDS.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var lock = channel.lock()) {
      assertThat(lock.isValid()).isTrue();
      if (!Files.exists(root.resolve(BUILT))) {
        removeOthers();
        extract(commit, Files.createDirectories(root));
        build(root);
        Files.writeString(root.resolve(BUILT), name + "\n");
      }
    }
    return new EarlierBuild(name, root);
  }

  /// The last tag that is an ancestor, else the commit that the file names.
  private static String chosen() throws IOException, InterruptedException {
    Said repository = git("rev-parse", "--is-inside-work-tree");
    if (repository.code != 0) {
      skip("no repository of git is at " + Tree.root() + ", so there is no earlier build to upgrade from");
    }
    Said tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD");
    if (tag.code == 0) {
      return tag.words;
    }
    List<String> lines = Files.readAllLines(BASE).stream().filter(line -> !line.startsWith("#")).toList();
    assertThat(lines).as("commits in " + BASE).hasSize(1);
    return lines.getFirst().strip();
  }

  private static String commit(String name) throws IOException, InterruptedException {
    Said commit = git("rev-parse", "--verify", "--quiet", name + "^{commit}");
    if (commit.code != 0) {
      skip("the repository has no commit " + name + " to upgrade from: it is a shallow clone, or a copy of a part");
    }
    return commit.words;
  }

  private static void skip(String why) {
    System.out.println("skipped: " + why);
    Assumptions.abort("skipped: " + why);
  }

  private record Said(int code, String words) {}

  private static Said git(String... args) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("git", "-C", Tree.root().toString()));
    command.addAll(List.of(args));
    Process git;
    try {
      git = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException none) {
      skip("no command git is here (" + none.getMessage() + "), so there is no earlier build to upgrade from");
      throw none;
    }
    try {
      String words = new String(git.getInputStream().readAllBytes()).strip();
      assertThat(git.waitFor(GIT_SECONDS_MAX, TimeUnit.SECONDS)).as("%s", command).isTrue();
      return new Said(git.exitValue(), words);
    } finally {
      git.destroyForcibly();
    }
  }

  /// A build that was upgraded from before is of no use any more, and one that was broken off neither.
  private static void removeOthers() throws IOException {
    try (Stream<Path> files = Files.walk(BUILDS)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(BUILDS) && !file.equals(BUILDS.resolve("lock"))) {
          Files.delete(file);
        }
      }
    }
  }

  private static void extract(String commit, Path to) throws IOException, InterruptedException {
    List<Process> both =
        ProcessBuilder.startPipeline(
            List.of(
                new ProcessBuilder("git", "-C", Tree.root().toString(), "archive", commit)
                    .redirectError(ProcessBuilder.Redirect.INHERIT),
                new ProcessBuilder("tar", "x", "-C", to.toString()).redirectErrorStream(true)));
    String words = new String(both.getLast().getInputStream().readAllBytes());
    for (Process one : both) {
      assertThat(one.waitFor(GIT_SECONDS_MAX, TimeUnit.SECONDS)).as("git archive | tar").isTrue();
      assertThat(one.exitValue()).as("git archive %s | tar: %s", commit, words).isZero();
    }
  }

  /// Without the network if the local repository has what that commit needs.
  private static void build(Path root) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    if (maven(root, "-o").code != 0) {
      Said online = maven(root);
      assertThat(online.code).as("build of %s:\n%s", root, online.words).isZero();
    }
    System.out.printf("built %s in %d s%n", root, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
  }

  private static Said maven(Path root, String... options) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(root.resolve("mvnw").toString(), "-q", "-B"));
    command.addAll(List.of(options));
    command.addAll(PACKAGE);
    Path log = root.resolve("build.log");
    ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile()).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Process maven = builder.redirectOutput(log.toFile()).start();
    try {
      assertThat(maven.waitFor(BUILD_MINUTES_MAX, TimeUnit.MINUTES)).as("%s ends", command).isTrue();
    } finally {
      maven.descendants().forEach(ProcessHandle::destroyForcibly);
      maven.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(log);
    String tail = String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
    return new Said(maven.exitValue(), tail);
  }

  /// The tag or the commit.
  String name() {
    return name;
  }

  /// Its operator's command.
  InstalledTutti tutti() throws IOException {
    return InstalledTutti.at(home());
  }

  private Path home() throws IOException {
    try (Stream<Path> homes = Files.list(root.resolve("cli/target/tutti"))) {
      return homes.filter(home -> Files.isExecutable(home.resolve("bin/tutti"))).findFirst().orElseThrow();
    }
  }

  /// A class path of what programs of replicated services and their clients need of it.
  String classPath() throws IOException {
    try (Stream<Path> needed = Files.list(home().resolve("lib"));
        Stream<Path> blocks = Files.list(root.resolve("blocks/target"))) {
      return Stream.concat(needed, blocks)
          .map(Path::toString)
          .filter(jar -> jar.endsWith(".jar"))
          .collect(Collectors.joining(File.pathSeparator));
    }
  }
}
