package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.fixture.Tree;

/// The jars of the modules are the same bytes when somebody else builds them elsewhere, with another locale, time zone,
/// umask and JDK for Maven. `tools/reproducible` without an option compares everything else that a release has, too,
/// which takes longer than a test may.
@Tag("deep")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReproducibleTest {
  @Test
  void theJarsOfThisBuildAreThoseOfAnother() throws Exception {
    assumeThat(Tree.root().resolve(".git")).as("a source tree that git knows").exists();
    String needs = "run by `./mvnw verify -Pdeep`, which builds what this test compares";
    String jar = "target/tutti-%s-" + Pom.of("").version() + ".jar";
    for (String module : new String[] {"core", "romiop", "metrics"}) {
      assumeThat(Files.exists(Tree.module(module).resolve(jar.formatted(module)))).as(needs).isTrue();
    }
    assertThat(HostProgram.run(Tree.root().resolve("tools/reproducible").toString(), "--jars", "--built"))
        .containsPattern("reproducible: all 1\\d files are equal");
  }
}
