package org.tutti.verify.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Tree;

/// What `-Pdist` packs runs where there is no Java, and nothing but a shell, `dirname`, `readlink`, `grep` and libc.
@Tag("deep")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DistributionTest {
  private static final long BYTES_MAX = 60_000_000;
  private static final Pattern LIBRARY = Pattern.compile("(/\\S+) \\(0x");
  private static final List<String> PROGRAMS = List.of("sh", "dirname", "readlink", "grep", "rm", "mv");
  private static final List<String> DEVICES = List.of("null", "random", "urandom");

  @TempDir private Path root;

  private Path archive;

  @BeforeEach
  void find() throws IOException {
    Path target = Tree.root().resolve("cli/target");
    try (Stream<Path> files = Files.isDirectory(target) ? Files.list(target) : Stream.empty()) {
      archive = files.filter(file -> file.toString().endsWith(".tar.gz")).findFirst().orElse(null);
    }
    assumeThat(archive).as("run `./mvnw package -Pdist` first: it packs the distribution").isNotNull();
  }

  private void unpack(Path directory) throws Exception {
    Files.createDirectories(directory);
    HostProgram.run("tar", "xzf", archive.toString(), "-C", directory.toString(), "--strip-components=1");
  }

  /// Copies a program, or a library of the runtime, and what it is linked with.
  private void copy(Path file, Path to) throws Exception {
    Files.createDirectories(to.getParent());
    Files.copy(file.toRealPath(), to);
    link(file);
  }

  private void link(Path file) throws Exception {
    Matcher matcher = LIBRARY.matcher(HostProgram.run("ldd", file.toString()));
    while (matcher.find()) {
      Path library = Path.of(matcher.group(1));
      Path copy = root.resolve(library.toString().substring(1));
      if (!library.startsWith(root) && !Files.exists(copy)) {
        Files.createDirectories(copy.getParent());
        Files.copy(library.toRealPath(), copy);
      }
    }
  }

  /// A root with no Java, in which a new namespace has /proc and three devices, as a container has.
  private void makeRoot() throws Exception {
    for (String program : PROGRAMS) {
      Path found =
          Stream.of("/bin/", "/usr/bin/").map(p -> Path.of(p + program)).filter(Files::exists).findFirst().get();
      copy(found, root.resolve("bin").resolve(program));
    }
    for (String directory : List.of("proc", "dev", "tmp")) {
      Files.createDirectories(root.resolve(directory));
    }
    for (String device : DEVICES) {
      Files.createFile(root.resolve("dev").resolve(device));
    }
    unpack(root.resolve("opt/tutti"));
    link(root.resolve("opt/tutti/runtime/bin/java"));
    link(root.resolve("opt/tutti/runtime/lib/server/libjvm.so"));
    link(root.resolve("opt/tutti/runtime/lib/libjava.so"));
    link(root.resolve("opt/tutti/runtime/lib/libnet.so"));
  }

  private String inRoot(String... args) throws Exception {
    var script = new StringBuilder("mount -t proc proc " + root + "/proc && ");
    for (String device : DEVICES) {
      script.append("mount --bind /dev/%s %s/dev/%s && ".formatted(device, root, device));
    }
    script.append("exec chroot ").append(root).append(" /opt/tutti/bin/tutti \"$@\"");
    var command = new ArrayList<>(List.of("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "unshare", "-mpf"));
    command.addAll(List.of("sh", "-c", script.toString(), "sh"));
    command.addAll(List.of(args));
    return HostProgram.run(command.toArray(String[]::new));
  }

  private boolean mayMount() throws Exception {
    Path proc = Files.createDirectory(root.resolve("proc"));
    Process process = new ProcessBuilder("unshare", "-mpf", "mount", "-t", "proc", "proc", proc.toString()).start();
    return process.waitFor() == 0;
  }

  @Test
  void itRunsWithoutAnotherJava() throws Exception {
    assumeThat(mayMount()).as("skipped: a root of its own needs root and namespaces here").isTrue();
    makeRoot();
    assertThat(inRoot("version")).startsWith("tutti ").hasLineCount(1);
    assertThat(inRoot("warm", "--time", "2s")).contains("first view of three members: ").contains("first over last: ");
    assertThat(root.resolve("opt/tutti/tutti.aot")).isNotEmptyFile();
    assertThat(inRoot("version")).startsWith("tutti ").hasLineCount(1);
    assertThat(inRoot("help", "member").replaceAll("\\s+", " ")).contains("grpc, iiop, rmi, tcp, udp");
  }

  @Test
  void itIsNotLarge() throws IOException {
    assertThat(archive).satisfies(file -> assertThat(Files.size(file)).isLessThanOrEqualTo(BYTES_MAX));
  }

  @Test
  void whatIsInItIsListed() throws Exception {
    unpack(root.resolve("tutti"));
    Map<String, Object> bill = JSON.std.mapFrom(Files.readString(root.resolve("tutti/sbom.json")));
    assertThat(bill).containsEntry("bomFormat", "CycloneDX");
    Set<String> listed = new TreeSet<>();
    for (Object component : (List<?>) bill.get("components")) {
      listed.add(((Map<?, ?>) component).get("name") + "-" + ((Map<?, ?>) component).get("version") + ".jar");
    }
    try (Stream<Path> files = Files.list(root.resolve("tutti/lib"))) {
      List<String> jars = files.map(file -> file.getFileName().toString()).toList();
      assertThat(jars).isNotEmpty().allSatisfy(jar -> assertThat(jar).matches(one -> isListed(listed, one)));
    }
  }

  /// The command's own jar is what the bill is of.
  private static boolean isListed(Set<String> listed, String jar) {
    return jar.startsWith("tutti-cli-") || listed.contains(jar);
  }

  /// Read as `man` reads it, where that is there.
  @Test
  void eachCommandHasAManualPage() throws Exception {
    unpack(root.resolve("tutti"));
    Path pages = root.resolve("tutti/man/man1");
    assertThat(pages.resolve("tutti.1")).exists();
    assertThat(pages.resolve("tutti-ipc-ask.1")).exists();
    Path groff = Path.of("/usr/bin/groff");
    assumeThat(groff).as("skipped: no groff here").exists();
    String text =
        HostProgram.run(
            groff.toString(), "-man", "-Tascii", "-P-cbou", "-ww", pages.resolve("tutti-member.1").toString());
    assertThat(text).doesNotContain("warning:", "${");
    assertThat(text.replaceAll("\\s+", " "))
        .contains("SYNOPSIS tutti member", "--primary-views=NAME", "dynamic-linear, static-majority, both");
  }

  /// The rules of the file, where systemd is there to know them; the paths in it are those of an installation.
  @Test
  void theUnitIsOneThatSystemdTakes() throws Exception {
    assumeThat(Path.of("/usr/bin/systemd-analyze")).as("skipped: no systemd-analyze here").exists();
    unpack(root.resolve("tutti"));
    Path unit = root.resolve("tutti/systemd/tutti-member@.service");
    Path here = root.resolve("tutti-member@bank.service");
    Files.writeString(here, Files.readString(unit).replace("/opt/tutti", root.resolve("tutti").toString()));
    assertThat(HostProgram.run("systemd-analyze", "verify", "--man=no", here.toString())).isEmpty();
  }
}
