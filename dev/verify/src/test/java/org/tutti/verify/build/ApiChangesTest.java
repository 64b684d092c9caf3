package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;

/// `tools/api` finds what breaks programs between two versions of a module, and judges it by their numbers.
@Tag("deep")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ApiChangesTest {
  private static final String DESCRIPTOR = "module m { exports m.api; exports m.more; exports m.inner to n; }";
  private static final String SERVICE =
      """
      package m.api;
      public interface Service {
        sealed interface Outcome permits Done, Failed {}
        record Done(long position) implements Outcome {}
        record Failed(String why) implements Outcome {}
        enum Order { FIXED, SYMMETRIC }
        Outcome call(String command);
      }
      """;
  private static final String EXTRA = "package m.more; public final class Extra { public static void help() {} }";
  private static final String INNER = "package m.inner; public final class Inner { public static void step() {} }";

  @TempDir private Path directory;

  /// What it said, and its exit code.
  private record Verdict(String said, int code) {}

  /// Compiles and packs a version of a module.
  ///
  /// @return the directory of its jar
  private Path version(String number, String descriptor, String... sources) throws IOException {
    Path home = Files.createDirectories(directory.resolve(number));
    Path source = Files.createDirectories(home.resolve("source"));
    Files.writeString(source.resolve("module-info.java"), descriptor);
    for (String text : sources) {
      String[] words = text.split("\\W+", 3);
      String name = text.replaceFirst("(?s).*?(?:interface|class) (\\w+).*", "$1");
      Path to = Files.createDirectories(source.resolve(text.split("[ ;]")[1].replace('.', '/')));
      assertThat(words[0]).isEqualTo("package");
      Files.writeString(to.resolve(name + ".java"), text);
    }
    String classes = home.resolve("classes").toString();
    tool("javac", "-Xlint:-module", "-d", classes, "--module-source-path", "m=" + source, "--module", "m");
    Path jars = Files.createDirectories(home.resolve("jars"));
    tool("jar", "--create", "--file", jars.resolve("m-" + number + ".jar").toString(), "-C", classes + "/m", ".");
    return jars;
  }

  private static void tool(String name, String... args) {
    assertThat(ToolProvider.findFirst(name).orElseThrow().run(System.out, System.err, args)).isZero();
  }

  private static Verdict compare(Path before, Path after) throws Exception {
    List<String> command = List.of(Tree.root().resolve("tools/api").toString(), before.toString(), after.toString());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes());
    return new Verdict(said, process.waitFor());
  }

  @Test
  void whatBreaksProgramsIsFoundAndJudgedByTheVersion() throws Exception {
    Path first = version("0.1.0", DESCRIPTOR, SERVICE, EXTRA, INNER);
    String changed =
        SERVICE
            .replace("permits Done, Failed", "permits Done, Failed, Late")
            .replace("enum Order", "record Late() implements Outcome {}\n  enum Order")
            .replace("SYMMETRIC", "SYMMETRIC, CONSENSUS")
            .replace("Done(long position)", "Done(int position)");
    String descriptor = DESCRIPTOR.replace("exports m.more; ", "");
    String inner = INNER.replace("step", "leap"); // which programs cannot see
    Path patch = version("0.1.1", descriptor, changed, EXTRA, inner);
    Verdict broken = compare(first, patch);
    assertThat(broken.said())
        .contains("m.more: the package is not exported any more")
        .contains("m.api.Service$Outcome: a case was added, which a switch may not have: m.api.Service$Late")
        .contains("m.api.Service$Order: a case was added, which a switch may not have: CONSENSUS")
        .contains("m.api.Service$Done: method return type changed: position()")
        .contains("m.api.Service$Done: constructor removed: Service$Done(long)")
        .contains("break programs between 0.1.0 and 0.1.1, which its number does not allow")
        .doesNotContain("m.inner", "Failed");
    assertThat(broken.code()).isEqualTo(1);

    Path minor = version("0.2.0", descriptor, changed, EXTRA, inner);
    Verdict allowed = compare(first, minor);
    assertThat(allowed.said()).contains("Done(long)").contains("0.1.0 and 0.2.0, which its number allows");
    assertThat(allowed.code()).isZero();

    Path stable = version("1.0.0", descriptor, changed, EXTRA, inner);
    Path later = version("1.1.0", descriptor, changed.replace("call(", "invoke("), EXTRA, inner);
    Verdict major = compare(stable, later);
    assertThat(major.said()).contains("m.api.Service: method removed: call(java.lang.String)", "does not allow");
    assertThat(major.code()).isEqualTo(1);
  }

  @Test
  void whatIsAddedAndWhatNobodySeesIsNoBreak() throws Exception {
    Path first = version("0.1.0", DESCRIPTOR, SERVICE, EXTRA, INNER);
    String more = EXTRA.replace("help() {}", "help() {} public static void helpMore() {}");
    Path next = version("0.1.1", DESCRIPTOR, SERVICE, more, INNER.replace("step", "leap"));
    Verdict verdict = compare(first, next);
    // Before it Maven may warn of itself, as it does on some JDKs.
    assertThat(verdict.said().lines()).last().isEqualTo("api: nothing of 0.1.0 that programs use breaks in 0.1.1");
    assertThat(verdict.said()).doesNotContain("break programs");
    assertThat(verdict.code()).isZero();
  }

  @Test
  void whatCannotBeComparedIsRefused() throws Exception {
    Path first = version("0.1.0", DESCRIPTOR, SERVICE, EXTRA, INNER);
    Path empty = Files.createDirectories(directory.resolve("empty"));
    Verdict nothing = compare(first, empty);
    assertThat(nothing.said()).contains("no jar of a Java module is in " + empty);
    assertThat(nothing.code()).isEqualTo(2);
    Verdict missing = compare(first, directory.resolve("missing"));
    assertThat(missing.said()).contains("missing is not a directory");
    assertThat(missing.code()).isEqualTo(2);
  }
}
