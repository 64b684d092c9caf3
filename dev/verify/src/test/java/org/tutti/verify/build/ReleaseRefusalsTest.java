package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fixture.Tree;

/// What `tools/release` refuses before it builds anything, in a small repository of its own.
class ReleaseRefusalsTest {
  @TempDir private Path directory;

  private Path tree;

  @BeforeEach
  void makeRepository() throws Exception {
    assumeThat(HostProgram.isThere("git")).as("skipped: no git here").isTrue();
    tree = directory.resolve("tree");
    for (String file : List.of("tools/release", "tools/jdk")) {
      Path copy = tree.resolve(file);
      Files.createDirectories(copy.getParent());
      Files.copy(Tree.root().resolve(file), copy, StandardCopyOption.COPY_ATTRIBUTES);
    }
    Files.writeString(tree.resolve("CHANGELOG.md"), "# Changelog\n\n## 0.1.0 (2026-12-01)\n\n- It is there.\n");
    Files.writeString(tree.resolve("pom.xml"), "<project>\n  <version>0.1.0-SNAPSHOT</version>\n</project>\n");
    git("init", "-q");
    git("add", "-A");
    git("commit", "-q", "-m", "Begin");
  }

  private void git(String... args) throws Exception {
    var command =
        new ArrayList<>(List.of("git", "-C", tree.toString(), "-c", "user.name=n", "-c", "user.email=n@invalid"));
    command.addAll(List.of(args));
    HostProgram.run(command.toArray(String[]::new));
  }

  private String refused(String... args) throws Exception {
    var command = new ArrayList<>(List.of(tree.resolve("tools/release").toString()));
    command.addAll(List.of(args));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("TUTTI_JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("GNUPGHOME", directory.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(said).isEqualTo(2);
    assertThat(said).startsWith("release: ");
    return said;
  }

  @Test
  void aVersionIsNeeded() throws Exception {
    assertThat(refused()).contains("which version?");
    assertThat(refused("0.1.0", "0.2.0")).contains("one version is released, not '0.1.0' and '0.2.0'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "v0.1.0", "0.1", "0.1.0-SNAPSHOT", "01.0.0", "0.1.0-rc", "0.1.0;ls", "../0.1.0"})
  void aVersionIsThreeNumbers(String version) throws Exception {
    assertThat(refused(version)).contains("a version is three numbers", "not '" + version + "'");
  }

  @Test
  void optionsAreChecked() throws Exception {
    assertThat(refused("0.1.0", "--sign")).contains("there is no option --sign");
    assertThat(refused("0.1.0", "--into")).contains("--into needs a value");
    assertThat(refused("0.1.0", "--key=")).contains("--key needs a value");
  }

  @Test
  void aTreeWithChangesIsRefused() throws Exception {
    Files.writeString(tree.resolve("new.txt"), "");
    assertThat(refused("0.1.0")).contains("the source tree has changes", "?? new.txt");
    Files.delete(tree.resolve("new.txt"));
    Files.writeString(tree.resolve("pom.xml"), "");
    assertThat(refused("0.1.0")).contains("the source tree has changes", " M pom.xml");
  }

  @Test
  void aFolderThatIsThereIsRefused() throws Exception {
    Path there = Files.createDirectories(directory.resolve("there"));
    assertThat(refused("0.1.0", "--into", there.toString())).contains(there + " is there already");
  }

  @Test
  void aTreeThatIsNoSnapshotIsRefused() throws Exception {
    Files.writeString(tree.resolve("pom.xml"), "<project>\n  <version>0.1.0</version>\n</project>\n");
    git("commit", "-q", "-a", "-m", "Release");
    assertThat(refused("0.1.0")).contains("the version in pom.xml is no snapshot");
  }

  @Test
  void aVersionWithoutChangesOrWithATagIsRefused() throws Exception {
    assertThat(refused("0.2.0")).contains("CHANGELOG.md has no section '## 0.2.0'");
    git("tag", "v0.1.0");
    assertThat(refused("0.1.0")).contains("there is a tag v0.1.0 already");
  }

  @Test
  void aKeyThatIsNotThereIsRefused() throws Exception {
    assumeThat(HostProgram.isThere("gpg")).as("skipped: no gpg here").isTrue();
    assertThat(refused("0.1.0", "--key", "nobody@invalid")).contains("gpg has no secret key nobody@invalid");
  }
}
