package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;
import org.tutti.verify.build.Pom.Dependency;

/// A project outside of the source tree that depends on Tutti as the README says, builds with Maven without a network,
/// runs the README's program as a Java module, compiles the one of the getting-started page, and tests a service in the
/// simulator.
///
/// Its local repository is a directory of its own, which has Tutti as `install` would lay it out; plugins come from the
/// repository of the build that runs this test, in which they are already.
@Tag("deep")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StrangerTest {
  private static final String NEEDS =
      "run by `./mvnw verify -Pdeep`, whose Maven, plugins and archives this test uses: ";
  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>com.example</groupId>
        <artifactId>stranger</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>25</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
      %s
        <build>
          <plugins>
      %s
          </plugins>
        </build>
      </project>
      """;
  private static final String COPY =
      """
      <executions>
        <execution>
          <phase>prepare-package</phase>
          <goals><goal>copy-dependencies</goal></goals>
          <configuration>
            <includeScope>runtime</includeScope>
            <outputDirectory>${project.build.directory}/lib</outputDirectory>
          </configuration>
        </execution>
      </executions>
      """;
  private static final String RUN =
      """
      <executions>
        <execution>
          <phase>verify</phase>
          <goals><goal>exec</goal></goals>
          <configuration>
            <executable>${java.home}/bin/java</executable>
            <arguments>
              <argument>--module-path=${project.build.directory}/lib:${project.build.outputDirectory}</argument>
              <argument>--module=com.example.stranger/com.example.stranger.Main</argument>
            </arguments>
          </configuration>
        </execution>
      </executions>
      """;
  private static final String CLASS_PATH = "<configuration><useModulePath>false</useModulePath></configuration>";
  private static final String JUNIT =
      """
      <dependency>
        <groupId>org.junit.jupiter</groupId>
        <artifactId>junit-jupiter</artifactId>
        <version>%s</version>
        <scope>test</scope>
      </dependency>
      """;
  private static final String MODULE =
      """
      module com.example.stranger {
        requires org.tutti;
      }
      """;
  private static final String PROGRAM =
      """
      package com.example.stranger;

      import static java.lang.System.out;
      import static java.nio.charset.StandardCharsets.UTF_8;

      import java.nio.ByteBuffer;
      import java.nio.file.Path;
      import java.util.List;
      import org.tutti.*;

      public final class Main {
        public static void main(String[] args) throws Exception {
          %s
          GroupConfig kept = GroupConfig.builder().durability(Durability.EACH).build();
          try (Node n3 = Node.named("n3").data(Path.of("target", "data")).start()) {
            out.println(n3.create("kept", kept).multicast("deposit 5".getBytes(UTF_8)).get());
          }
        }
      }
      """;

  @TempDir private Path directory;

  private Path maven;
  private Path plugins;
  private Path project;
  private Path repository;

  @BeforeEach
  void prepare() throws Exception {
    String home = System.getProperty("tutti.maven.home");
    assumeThat(home).as(NEEDS + "no Maven").isNotNull();
    maven = Path.of(home);
    plugins = Path.of(System.getProperty("tutti.maven.repository"));
    assumeThat(maven.resolve("bin/mvn")).as(NEEDS + "no Maven").isExecutable();
    try (Stream<Path> lib = Files.list(maven.resolve("lib"))) {
      assumeThat(lib.map(jar -> jar.getFileName().toString()))
          .as("Maven 3.9 or later, which takes plugins from a second local repository")
          .anyMatch(jar -> jar.matches("maven-core-(3\\.9|[4-9]).*"));
    }
    project = Files.createDirectories(directory.resolve("stranger"));
    repository = Files.createDirectories(directory.resolve("repository"));
    install();
    write();
  }

  /// Puts what the BOM names into the repository, and the two POMs that all need.
  private void install() throws Exception {
    Pom root = Pom.of("");
    put("tutti", "", root.version());
    put("tutti-bom", "bom", root.version());
    for (Dependency shipped : Pom.of("bom").managed()) {
      put(shipped.artifact(), shipped.artifact().substring("tutti-".length()), root.version());
    }
  }

  private void put(String artifact, String module, String version) throws IOException {
    Path to = Files.createDirectories(repository.resolve("org/tutti").resolve(artifact).resolve(version));
    String name = artifact + "-" + version;
    Path from = Tree.module(module);
    Files.copy(from.resolve("pom.xml"), to.resolve(name + ".pom"));
    Path jar = from.resolve("target").resolve(name + ".jar");
    if (Files.exists(jar)) {
      Files.copy(jar, to.resolve(name + ".jar"));
    } else {
      // The ORB can be left out of a build.
      assumeThat(List.of("tutti", "tutti-bom", "tutti-corba")).as(NEEDS + "no " + jar).contains(artifact);
    }
  }

  private void write() throws Exception {
    String all =
        plugin("org.apache.maven.plugins", "maven-resources-plugin", "")
            + plugin("org.apache.maven.plugins", "maven-compiler-plugin", "")
            + plugin("org.apache.maven.plugins", "maven-surefire-plugin", CLASS_PATH)
            + plugin("org.apache.maven.plugins", "maven-jar-plugin", "")
            + plugin("org.apache.maven.plugins", "maven-dependency-plugin", COPY)
            + plugin("org.codehaus.mojo", "exec-maven-plugin", RUN);
    String simulator = block("docs/guides/test-your-service.md", "(?s)\n```xml\n(.*?)\n```\n");
    String needs = readme("(?s)\n```xml\n(.*?)\n```\n");
    int end = needs.lastIndexOf("</dependencies>");
    String tests = simulator + JUNIT.formatted(Pom.of("").property("junit.version"));
    Files.writeString(
        project.resolve("pom.xml"), POM.formatted(needs.substring(0, end) + tests + needs.substring(end), all));
    Path counter = Files.createDirectories(project.resolve("src/test/java/com/example/counter"));
    for (String name : List.of("Counter.java", "CounterTest.java")) {
      Path ours = Tree.root().resolve("dev/verify/src/test/java/com/example/counter").resolve(name);
      Files.copy(ours, counter.resolve(name));
    }
    Path chat = Files.createDirectories(project.resolve("src/main/java/com/example/chat"));
    Files.writeString(chat.resolve("Chat.java"), block("docs/guides/start.md", "(?s)\n```java\n(.*?)\n```\n"));
    Path sources = Files.createDirectories(project.resolve("src/main/java/com/example/stranger"));
    Files.writeString(project.resolve("src/main/java/module-info.java"), MODULE);
    Files.writeString(sources.resolve("Main.java"), PROGRAM.formatted(readme("(?s)\n```java\n(.*?)\n```\n")));
  }

  /// A plugin in the version that Tutti's own build uses, so that it is there.
  private static String plugin(String group, String artifact, String executions) throws Exception {
    return "<plugin><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>%s</plugin>"
        .formatted(group, artifact, Pom.of("").pluginVersion(artifact), executions);
  }

  private static String readme(String block) throws IOException {
    return block("README.md", block);
  }

  private static String block(String page, String block) throws IOException {
    Matcher matcher = Pattern.compile(block).matcher(Files.readString(Tree.root().resolve(page)));
    assertThat(matcher.find()).as(block).isTrue();
    return matcher.group(1);
  }

  @Test
  void itBuildsWithoutANetworkAndRuns() throws Exception {
    Path log = directory.resolve("log");
    List<String> command =
        List.of(
            maven.resolve("bin/mvn").toString(),
            "--offline",
            "--batch-mode",
            "--quiet",
            "-Dmaven.repo.local=" + repository,
            "-Dmaven.repo.local.tail=" + plugins,
            "verify");
    var builder = new ProcessBuilder(command).directory(project.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    builder.environment().remove("MAVEN_ARGS");
    Path warnings = directory.resolve("warnings"); // among them Tutti's log
    Process process = builder.redirectError(warnings.toFile()).redirectOutput(log.toFile()).start();
    try {
      assertThat(process.waitFor(4, TimeUnit.MINUTES)).as("ends in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String said = Files.readString(log);
    assertThat(process.exitValue()).as(said + Files.readString(warnings)).isZero();
    // More views than these are possible: a slow moment may look like a crash.
    List<String> expected = readme("(?s)\n```\n(n1 sees .*?)\n```\n").lines().toList();
    assertThat(said.lines()).containsSubsequence(expected).endsWith("Ordered[position=0]");
    assertThat(project.resolve("target/data")).isNotEmptyDirectory();
    assertThat(project.resolve("target/surefire-reports/TEST-com.example.counter.CounterTest.xml"))
        .content()
        .contains("tests=\"1\"", "errors=\"0\"", "failures=\"0\"");
    try (Stream<Path> lib = Files.list(project.resolve("target/lib"))) {
      assertThat(lib.map(jar -> jar.getFileName().toString().replaceFirst("-\\d.*", "")))
          .as("what the program was given")
          .containsExactlyInAnyOrder("tutti-core", "tutti-net", "tutti-store");
    }
  }
}
