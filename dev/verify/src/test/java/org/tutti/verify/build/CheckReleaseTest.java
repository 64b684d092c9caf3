package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;

/// `tools/CheckRelease.java` says what is wrong with a staged release: on a small one that is whole, and on what is
/// left of it when something is missing, wrong or too much.
class CheckReleaseTest {
  private static final String VERSION = "1.2.0";
  private static final String CORE = "maven/org/tutti/tutti-core/1.2.0/tutti-core-1.2.0";
  private static final Map<String, String> SUMS =
      Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");
  private static final String DESCRIBED =
      """
      <url>https://example.org/</url>
      <licenses><license><name>Apache-2.0</name><url>https://example.org/licence</url></license></licenses>
      <developers><developer><name>Somebody</name><organization>Some</organization></developer></developers>
      <scm><connection>scm:git:x</connection><developerConnection>scm:git:x</developerConnection><url>x</url>
      <tag>v1.2.0</tag></scm>
      """;
  private static final String BOM =
      """
      <dependencyManagement><dependencies><dependency>
      <artifactId>tutti-core</artifactId>
      </dependency></dependencies></dependencyManagement>
      """;

  private static final String LICENCE = "META-INF/LICENSE";

  @TempDir private static Path classes;

  @TempDir private Path directory;

  private Path stage;
  private Path tree;

  @BeforeEach
  void makeWholeRelease() throws Exception {
    stage = directory.resolve("stage");
    tree = Files.createDirectories(directory.resolve("tree"));
    Files.createDirectories(tree.resolve("bom"));
    Files.writeString(tree.resolve("LICENSE"), LICENCE); // archives have names as contents
    Files.writeString(tree.resolve("CHANGELOG.md"), "# Changelog\n\n## 1.2.0 (2026-12-01)\n\n- It is faster.\n");
    pom("tutti", "<packaging>pom</packaging>" + DESCRIBED);
    String bom = pom("tutti-bom", "<packaging>pom</packaging>" + DESCRIBED + BOM);
    Files.writeString(tree.resolve("bom/pom.xml"), bom);
    for (String artifact : List.of("tutti-core", "tutti-cli")) {
      pom(artifact, "<parent><artifactId>tutti</artifactId><version>1.2.0</version></parent>");
      String stem = "maven/org/tutti/" + artifact + "/1.2.0/" + artifact + "-1.2.0";
      write(stem + ".jar", archive(LICENCE, "module-info.class", "org/tutti/Node.class"));
      write(stem + "-sources.jar", archive(LICENCE, "module-info.java", "org/tutti/Node.java"));
      write(stem + "-javadoc.jar", archive(LICENCE, "index.html"));
      write(stem + "-cyclonedx.json", "{}".getBytes());
    }
    write("distribution/tutti-1.2.0-Linux-amd64.zip", archive("tutti-1.2.0/bin/tutti"));
    write("distribution/tutti-1.2.0-Linux-amd64.tar.gz", new byte[10]);
    write("distribution/tutti-1.2.0-sbom.json", "{}".getBytes());
    write("source.bundle", new byte[10]);
  }

  private String pom(String artifact, String more) throws Exception {
    String text =
        """
        <project><groupId>org.tutti</groupId><artifactId>%s</artifactId><version>1.2.0</version>
        <name>Tutti</name><description>What it is.</description>%s</project>
        """
            .formatted(artifact, more);
    write("maven/org/tutti/" + artifact + "/1.2.0/" + artifact + "-1.2.0.pom", text.getBytes());
    return text;
  }

  private static byte[] archive(String... entries) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes)) {
      for (String entry : entries) {
        zip.putNextEntry(new ZipEntry(entry));
        zip.write(entry.getBytes());
      }
    }
    return bytes.toByteArray();
  }

  /// With its checksums.
  private void write(String name, byte[] bytes) throws Exception {
    Path file = stage.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, bytes);
    for (var sum : SUMS.entrySet()) {
      String text = HexFormat.of().formatHex(MessageDigest.getInstance(sum.getValue()).digest(bytes));
      Files.writeString(Path.of(file + "." + sum.getKey()), text);
    }
  }

  private void change(String name, String from, String to) throws Exception {
    String text = Files.readString(stage.resolve(name));
    assertThat(text).contains(from);
    write(name, text.replace(from, to).getBytes());
  }

  /// Without its checksums, too.
  private void remove(String name) throws IOException {
    Path file = stage.resolve(name);
    try (Stream<Path> beside = Files.list(file.getParent())) {
      for (Path one : beside.filter(path -> path.toString().startsWith(file.toString())).toList()) {
        Files.delete(one);
      }
    }
  }

  @BeforeAll
  static void compile() {
    String source = Tree.root().resolve("tools/CheckRelease.java").toString();
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    assertThat(javac.run(System.out, System.err, "-d", classes.toString(), source)).isZero();
  }

  private List<String> findings(String... key) throws Exception {
    try (var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      Method method = loader.loadClass("CheckRelease").getDeclaredMethod("findings", String[].class);
      method.setAccessible(true);
      var args = Stream.concat(Stream.of(stage.toString(), VERSION, tree.toString()), Stream.of(key));
      @SuppressWarnings("unchecked") // the method's type
      var found = (List<String>) method.invoke(null, (Object) args.toArray(String[]::new));
      return found;
    }
  }

  @Test
  void aWholeReleasePasses() throws Exception {
    assertThat(findings()).isEmpty();
  }

  @Test
  void whatIsMissingIsNamed() throws Exception {
    remove(CORE + "-javadoc.jar");
    remove(CORE + "-sources.jar");
    Files.delete(stage.resolve(CORE + ".jar.sha512"));
    Files.writeString(stage.resolve(CORE + ".pom.md5"), "0");
    remove("distribution/tutti-1.2.0-Linux-amd64.zip");
    Files.writeString(tree.resolve("CHANGELOG.md"), "# Changelog\n\n## 1.2.0\n\n## 1.1.0\n\n- Old.\n");
    assertThat(findings())
        .containsExactlyInAnyOrder(
            "CHANGELOG.md says nothing of 1.2.0",
            "maven/org/tutti/tutti-core/1.2.0 has no tutti-core-1.2.0-javadoc.jar",
            "maven/org/tutti/tutti-core/1.2.0 has no tutti-core-1.2.0-sources.jar",
            CORE + ".jar has no sha512",
            "the md5 of " + CORE + ".pom is wrong",
            "one archive .zip is expected, not []");
  }

  @Test
  void whatIsTooMuchIsNamed() throws Exception {
    write("maven/org/tutti/tutti-bench/1.2.0/tutti-bench-1.2.0.pom", "<project/>".getBytes());
    write(CORE + "-tests.jar", archive("org/tutti/fixture/Tree.class"));
    write("notes.txt", new byte[1]);
    assertThat(String.join("\n", findings()))
        .contains("the artifacts are [tutti, tutti-bench, tutti-bom, tutti-cli, tutti-core], not [")
        .contains("maven/org/tutti/tutti-core/1.2.0 has more: [tutti-core-1.2.0-tests.jar")
        .contains("the folder has [");
  }

  @Test
  void aPomThatDoesNotSayAllIsNamed() throws Exception {
    change("maven/org/tutti/tutti/1.2.0/tutti-1.2.0.pom", "<url>https://example.org/</url>", "");
    change("maven/org/tutti/tutti-bom/1.2.0/tutti-bom-1.2.0.pom", "<connection>scm:git:x</connection>", "");
    change("maven/org/tutti/tutti-bom/1.2.0/tutti-bom-1.2.0.pom", "<tag>v1.2.0</tag>", "<tag>HEAD</tag>");
    change(CORE + ".pom", "<description>What it is.</description>", "");
    assertThat(findings())
        .containsExactlyInAnyOrder(
            "the POM of tutti has no url",
            "the POM of tutti-core has no url",
            "the POM of tutti-cli has no url",
            "the POM of tutti-core has no description",
            "the POM of tutti-bom has no scm/connection",
            "the POM of tutti-bom names the tag HEAD");
  }

  @Test
  void aSnapshotIsFoundWhereverItIsNamed() throws Exception {
    change(CORE + ".pom", "What it is.", "As 1.1.0-SNAPSHOT.");
    change(CORE + "-cyclonedx.json", "{}", "{\"version\": \"1.1.0-SNAPSHOT\"}");
    write("distribution/tutti-1.2.0-Linux-amd64.zip", archive("tutti-1.2.0/lib/tutti-net-1.2.0-SNAPSHOT.jar"));
    write(CORE + ".jar", archive(LICENCE, "module-info.class", "Node.class", "META-INF/tutti-1.2.0-SNAPSHOT/pom.xml"));
    assertThat(findings()).hasSize(5).allMatch(finding -> finding.contains("snapshot") || finding.contains("SNAPSHOT"));
  }

  @Test
  void anArchiveThatIsEmptyIsNamed() throws Exception {
    write(CORE + ".jar", archive(LICENCE, "org/tutti/Node.class"));
    write(CORE + "-javadoc.jar", archive(LICENCE));
    assertThat(findings())
        .containsExactlyInAnyOrder(CORE + ".jar lacks what it is for", CORE + "-javadoc.jar lacks what it is for");
  }

  @Test
  void aJarWithoutTheLicenceOrWithAnotherOneIsNamed() throws Exception {
    write(CORE + "-javadoc.jar", archive("index.html"));
    assertThat(findings()).containsExactly(CORE + "-javadoc.jar has no META-INF/LICENSE");
    Files.writeString(tree.resolve("LICENSE"), "other words");
    assertThat(findings()).contains(CORE + ".jar has another licence", CORE + "-sources.jar has another licence");
  }

  /// By a key that the test makes and forgets. The program asks gpg, which reads in its environment where keys are, so
  /// it runs as one.
  @Test
  void eachFileIsSignedByTheKeyThatWasAskedFor() throws Exception {
    assumeThat(HostProgram.isThere("gpg")).as("skipped: no gpg here").isTrue();
    Path home = Files.createDirectories(Path.of("/tmp", "g" + ProcessHandle.current().pid())); // sockets: a short path
    try {
      Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));
      String[] gpg = {"gpg", "--homedir", home.toString(), "--batch", "--passphrase", ""};
      HostProgram.run(with(gpg, "--quick-generate-key", "a@example.org", "ed25519", "sign", "1d"));
      HostProgram.run(with(gpg, "--quick-generate-key", "b@example.org", "ed25519", "sign", "1d"));
      try (Stream<Path> all = Files.walk(stage)) {
        for (Path file : all.filter(path -> Files.isRegularFile(path) && !isSum(path)).toList()) {
          HostProgram.run(with(gpg, "--local-user", "a@example.org", "--armor", "--detach-sign", file.toString()));
        }
      }
      String key = fingerprint(gpg, "a@example.org");
      assertThat(checkAsProgram(home, key)).isEmpty();
      assertThat(findings()).contains(CORE + ".pom is signed, but by which key was not said");

      Files.delete(stage.resolve("source.bundle.asc"));
      Path pom = stage.resolve(CORE + ".pom");
      HostProgram.run(with(gpg, "--local-user", "b@example.org", "--yes", "--armor", "--detach-sign", pom.toString()));
      write(CORE + "-cyclonedx.json", "[]".getBytes()); // after it was signed
      assertThat(checkAsProgram(home, key).lines())
          .containsExactlyInAnyOrder(
              "release: the signature of " + CORE + ".pom is not one of " + key,
              "release: the signature of " + CORE + "-cyclonedx.json is not one of " + key,
              "release: source.bundle is not signed");
    } finally {
      new ProcessBuilder("gpgconf", "--homedir", home.toString(), "--kill", "all").start().waitFor();
      try (Stream<Path> files = Files.walk(home)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static boolean isSum(Path file) {
    return SUMS.keySet().stream().anyMatch(sum -> file.toString().endsWith("." + sum));
  }

  private static String[] with(String[] command, String... more) {
    return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
  }

  private static String fingerprint(String[] gpg, String name) throws Exception {
    return HostProgram.run(with(gpg, "--with-colons", "--list-secret-keys", name))
        .lines()
        .filter(line -> line.startsWith("fpr:"))
        .map(line -> line.split(":")[9])
        .findFirst()
        .orElseThrow();
  }

  private String checkAsProgram(Path home, String key) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin/java").toString();
    var builder =
        new ProcessBuilder(
            java,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            classes.toString(),
            "CheckRelease",
            stage.toString(),
            VERSION,
            tree.toString(),
            key);
    builder.environment().put("GNUPGHOME", home.toString());
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).isEqualTo(said.isEmpty() ? 0 : 1);
    return said;
  }
}
