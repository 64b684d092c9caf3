package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;
import org.tutti.verify.build.Pom.Dependency;

/// What users get, the modules in the BOM and the operator's command, has nothing of what only the source tree needs.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShippedTest {
  private static final String COMMAND = "org.tutti.cli";
  private static final List<String> DESCRIBED =
      List.of(
          "url",
          "licenses/license/name",
          "licenses/license/url",
          "developers/developer/name",
          "developers/developer/organization",
          "scm/connection",
          "scm/developerConnection",
          "scm/url",
          "scm/tag");

  /// The artifacts in the BOM.
  private static Set<String> shipped() throws Exception {
    return Pom.of("bom").managed().stream().map(Dependency::artifact).collect(Collectors.toSet());
  }

  /// What `package` has made of the operator's command.
  private static Path distribution() throws Exception {
    String version = Pom.of("").version();
    Path directory = Tree.root().resolve("cli/target/tutti/tutti-" + version);
    assumeThat(directory).as("run `./mvnw package` first: it makes the operator's command").isDirectory();
    return directory;
  }

  private static Configuration graph() throws Exception {
    ModuleFinder modules = ModuleFinder.of(distribution().resolve("lib"));
    return ModuleLayer.boot().configuration().resolveAndBind(modules, ModuleFinder.of(), Set.of(COMMAND));
  }

  private static Process tutti(String... args) throws Exception {
    return command(args).redirectErrorStream(true).start();
  }

  private static ProcessBuilder command(String... args) throws Exception {
    var command = new ArrayList<>(List.of(distribution().resolve("bin/tutti").toString()));
    command.addAll(List.of(args));
    var builder = new ProcessBuilder(command);
    builder.environment().put("TUTTI_JAVA_HOME", System.getProperty("java.home"));
    return builder;
  }

  @Test
  void aModuleOfTheBomDependsOnNoneThatIsNotInIt() throws Exception {
    Set<String> shipped = shipped();
    assertThat(shipped).contains("tutti-core", "tutti-net", "tutti-store");
    for (String artifact : shipped) {
      List<String> ours =
          Pom.of(artifact.substring("tutti-".length())).dependencies().stream()
              .filter(dependency -> !dependency.scope().equals("test"))
              .map(Dependency::artifact)
              .filter(dependency -> dependency.startsWith("tutti-"))
              .toList();
      assertThat(shipped).as("what " + artifact + " depends on").containsAll(ours);
    }
  }

  /// The BOM has no parent, so it says its version itself, and the root does not import it.
  @Test
  void theBomAndTheRootAgree() throws Exception {
    assertThat(Pom.of("bom").version()).isEqualTo(Pom.of("").version());
    assertThat(Pom.of("").managed()).containsAll(Pom.of("bom").managed());
  }

  /// What Maven Central asks for, in the POM itself or in that of its parent, which is published, too. `tools/release`
  /// checks it once more in what it has staged.
  @Test
  void eachPublishedPomSaysWhatItIsWhoseAndWhere() throws Exception {
    Pom root = Pom.of("");
    Pom bom = Pom.of("bom"); // has no parent
    for (String path : DESCRIBED) {
      assertThat(root.value(path)).as("root " + path).isNotEmpty();
      assertThat(bom.value(path)).as("bom " + path).isEqualTo(root.value(path));
    }
    // Or else a module's would be that with the module's name behind it.
    assertThat(root.project().getAttribute("child.project.url.inherit.append.path")).isEqualTo("false");
    for (String module : published()) {
      Pom pom = Pom.of(module);
      assertThat(pom.value("name")).as(module).startsWith("Tutti");
      assertThat(pom.value("description")).as(module).endsWith(".");
      for (String path : DESCRIBED) {
        assertThat(pom.value(path)).as(module + " says what it inherits: " + path).isIn("", root.value(path));
      }
    }
  }

  @Test
  void whatIsNotPublishedSaysSo() throws Exception {
    var published = new TreeSet<String>(published());
    published.add("bom");
    for (String module : Pom.of("").modules()) {
      String name = module.substring(module.lastIndexOf('/') + 1);
      String skipped = Pom.of(name).value("properties/maven.deploy.skip");
      assertThat(skipped).as(module).isEqualTo(published.contains(name) ? "" : "true");
    }
    assertThat(List.of(HostProgram.run(Tree.root().resolve("tools/shipped").toString()).strip().split(",")))
        .as("what tools/release builds")
        .extracting(module -> module.substring(module.lastIndexOf('/') + 1))
        .containsExactlyInAnyOrderElementsOf(published);
  }

  /// The modules of the BOM and the operator's command.
  private static Set<String> published() throws Exception {
    Set<String> modules = shipped().stream().map(artifact -> artifact.substring(6)).collect(Collectors.toSet());
    modules.add("cli");
    return modules;
  }

  @Test
  void theOperatorsCommandIsMadeOfWhatIsInTheBom() throws Exception {
    Set<String> names =
        shipped().stream()
            .map(artifact -> artifact.equals("tutti-core") ? "org.tutti" : artifact.replace("tutti-", "org.tutti."))
            .collect(Collectors.toSet());
    names.add(COMMAND);
    assertThat(graph().modules())
        .extracting(module -> module.name())
        .contains("org.tutti", "org.tutti.net", "org.tutti.grpc", "org.tutti.rmi")
        .filteredOn(name -> name.startsWith("org.tutti"))
        .isSubsetOf(names);
  }

  @Test
  void theOperatorsCommandCarriesNoToolkitToCompareWithNoDatabaseAndNoBenchmark() throws Exception {
    try (Stream<Path> jars = Files.list(distribution().resolve("lib"))) {
      assertThat(jars.map(jar -> jar.getFileName().toString()))
          .anyMatch(jar -> jar.startsWith("picocli-"))
          .noneMatch(jar ->
              jar.matches(
                  "(?i)(jgroups|aeron|agrona|h2|jmh|hdrhistogram|tutti-(bench|sim|lab|peers|orbs|examples|micro))-.*"));
    }
    assertThat(graph().modules())
        .extracting(module -> module.name())
        .noneMatch(name -> name.matches("org\\.jgroups.*|io\\.aeron.*|com\\.h2database|HdrHistogram|jmh.*|java\\.sql"));
  }

  @Test
  void eachModuleHasTheLicence() throws Exception {
    byte[] licence = Files.readAllBytes(Tree.root().resolve("LICENSE"));
    try (Stream<Path> jars = Files.list(distribution().resolve("lib"))) {
      List<Path> ours = jars.filter(jar -> jar.getFileName().toString().startsWith("tutti-")).toList();
      assertThat(ours).hasSizeGreaterThan(5);
      for (Path jar : ours) {
        assertThat(entry(jar, "META-INF/LICENSE")).as(jar.toString()).isEqualTo(licence);
      }
    }
    for (String module : published()) { // also of what the command does not need
      Path classes = Tree.module(module).resolve("target/classes");
      assertThat(classes.resolve("META-INF/LICENSE")).hasBinaryContent(licence);
    }
  }

  private static byte[] entry(Path jar, String name) throws Exception {
    try (var archive = new JarFile(jar.toFile())) {
      var entry = archive.getJarEntry(name);
      assertThat(entry).as(name + " in " + jar).isNotNull();
      return archive.getInputStream(entry).readAllBytes();
    }
  }

  @Test
  void theOperatorsCommandHasItsCommandsOnly() throws Exception {
    Process help = tutti("--help");
    String text = new String(help.getInputStream().readAllBytes());
    assertThat(help.waitFor()).isZero();
    assertThat(text.lines().filter(line -> line.matches("  [a-z-]+  .*")).map(line -> line.strip().split(" ")[0]))
        .containsExactly(
            "member",
            "send",
            "watch",
            "status",
            "members",
            "groups",
            "why",
            "probe",
            "verify",
            "doctor",
            "force-primary",
            "ipc",
            "corba",
            "registry",
            "certs",
            "warm",
            "completion",
            "help",
            "version");
    Process simulate = tutti("simulate");
    assertThat(new String(simulate.getInputStream().readAllBytes())).contains("'simulate'");
    assertThat(simulate.waitFor()).isEqualTo(2);
  }

  /// What it prints comes from a second JVM, which has the cache that the first one has made.
  @Test
  @Tag("deep")
  void theOperatorsCommandMakesACacheAndUsesIt() throws Exception {
    Path cache = distribution().resolve("tutti.aot");
    Files.deleteIfExists(cache);
    Process warm = tutti("warm", "--time", "2s");
    String text = new String(warm.getInputStream().readAllBytes());
    assertThat(warm.waitFor()).as(text).isZero();
    assertThat(text).contains("first view of three members: ").contains("first over last: ");
    assertThat(cache).isNotEmptyFile();
    Process version = tutti("--version");
    assertThat(new String(version.getInputStream().readAllBytes())).startsWith("tutti ").hasLineCount(1);
    Files.writeString(cache, "not a cache"); // a damaged one does no harm
    Process damaged = tutti("--version");
    assertThat(new String(damaged.getInputStream().readAllBytes())).startsWith("tutti ").hasLineCount(1);
    Files.delete(cache);
  }

  @Test
  void theOperatorsCommandRuns() throws Exception {
    Process member =
        command("member", "--group", "bank", "--create", "--name", "n1", "--listen", "127.0.0.1:0")
            .redirectError(ProcessBuilder.Redirect.DISCARD) // the log
            .start();
    try (BufferedReader lines = member.inputReader()) {
      assertThat(lines.readLine()).matches("n1 listens on 127\\.0\\.0\\.1:\\d+");
      assertThat(lines.readLine()).matches("view \\S+ primary: n1");
      member.toHandle().destroy();
      assertThat(member.waitFor()).isZero();
    } finally {
      member.destroyForcibly();
    }
  }

  /// A stream that is closed would be the number of the first file that Java opens: `send` would multicast Java's own
  /// modules.
  @Test
  void theCommandsStartJavaWithStreamsOnlyWhereTheirsAreClosed(@TempDir Path directory) throws Exception {
    Path home = directory.resolve("jdk");
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"25.0\"\n");
    Path streams = directory.resolve("streams");
    script(
        home.resolve("bin/java"),
        "all=",
        "for fd in 0 1 2; do all=\"$all $(readlink /proc/$$/fd/$fd || echo closed)\"; done",
        "echo $all >" + streams);
    Path built = Files.createDirectories(directory.resolve("tree/target/launcher/built"));
    Files.createFile(built.resolve("stamp"));
    Files.createSymbolicLink(built.resolveSibling("current"), built);
    Files.createDirectory(directory.resolve("tree/tools"));
    script(directory.resolve("tree/tools/jdk"), "echo " + home);
    Path fromSource = Files.copy(Tree.root().resolve("tutti"), directory.resolve("tree/tutti"));
    for (Path launcher : List.of(Tree.root().resolve("cli/src/main/launcher/tutti"), fromSource)) {
      for (String closed : List.of("<&-", "<&- >&- 2>&-")) {
        var shell = new ProcessBuilder("sh", "-c", "'" + launcher + "' --version " + closed);
        shell.environment().put("TUTTI_JAVA_HOME", home.toString());
        assertThat(shell.start().waitFor()).as("%s %s", launcher, closed).isZero();
        String all = Files.readString(streams);
        assertThat(all).as("%s %s", launcher, closed).startsWith("/dev/null ").doesNotContain("closed");
        assertThat(all.contains("pipe:")).as("%s %s: %s", launcher, closed, all).isEqualTo(closed.equals("<&-"));
        Files.delete(streams);
      }
    }
  }

  private static void script(Path file, String... lines) throws Exception {
    Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }
}
