package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.certs.Authority;

/// Carries out `docs/guides/rehearsal.md`: three members run as an operator runs them, from the distribution if there
/// is one; something happens to the third; what an operator sees is what the page shows; and by the way out that the
/// page names the group is whole again. Its output says what it ran.
@Tag("deep")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 290, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RehearsalTest {
  private static final String SUSPECT_AFTER = "5s"; // beside other tests a process may get no processor for seconds
  private static final long SECONDS_MAX = 120;
  private static final int LINE_BYTES = 30_000;
  private static final int LINES_OF_A_FILE = 60; // more than a file of the storage, which is 1 MiB, has room for
  private static final int LINES_OF_A_PIPE = 20; // more than a pipe, 64 KiB, and what the command keeps, have room for

  @TempDir private static Path directory;

  private final RehearsalPage page = new RehearsalPage("rehearsal.md");
  private final List<RehearsedMember> started = new ArrayList<>();
  private InstalledTutti tutti;
  private Optional<SmallDisk> disk = Optional.empty();
  private RehearsedMember n1;
  private RehearsedMember n2;
  private RehearsedMember n3;
  private boolean broken;

  // ---- the group -------------------------------------------------------------------------------------------------

  @BeforeAll
  void startThreeMembers() throws Exception {
    tutti = InstalledTutti.in(directory);
    System.out.println("rehearsed with " + tutti.which());
    disk = SmallDisk.at(directory.resolve("disk"));
    n1 = member("n1");
    n2 = member("n2");
    n3 = member("n3");
    page.show(directory.resolve("disk/n3").toString(), "/var/lib/tutti");
    page.show(directory.resolve("n1").toString(), "/var/lib/tutti");
    page.show(directory.resolve("certs").toString(), "certs");
    RehearsalPage.Block block =
        page.block("start").of("$ " + run("certs", "--dir", certs("").toString(), "n1", "n2", "n3", "ops"));
    List<String> first = arguments(n1, "--create");
    block.of("$ tutti " + shown(first));
    n1.start(process(List.of(), first), false);
    n1.log("caught up at position 0|.*: caught up at position 0");
    List<String> third = arguments(n3, "--join", n1.address + "," + n2.address);
    n2.start(process(List.of(), arguments(n2, "--join", n1.address + "," + n3.address)), false);
    n2.log(".*primary view of n1, n2;.*");
    block.of("$ tutti " + shown(third));
    start(false);
    whole();
    block.of(status(n1));
    block.check();
  }

  private RehearsedMember member(String name) {
    var member = new RehearsedMember(name, directory);
    started.add(member);
    page.show(member.address, name + ":7400");
    page.show(member.health, name + ":8080");
    return member;
  }

  private Path certs(String name) {
    return directory.resolve("certs").resolve(name);
  }

  private Path data(RehearsedMember member) {
    return directory.resolve(member == n3 ? "disk" : ".").resolve(member.name).normalize();
  }

  private List<String> arguments(RehearsedMember member, String... beginning) {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--name", member.name));
    args.addAll(List.of("--listen", member.address, "--tls", certs(member.name).toString()));
    args.addAll(List.of("--data", data(member).toString(), "--health", member.health));
    args.addAll(List.of(beginning));
    return args;
  }

  private ProcessBuilder process(List<String> before, List<String> args) {
    ProcessBuilder builder = tutti.process(before, args);
    builder.environment().put("TUTTI_SUSPECT_AFTER", SUSPECT_AFTER);
    return builder;
  }

  /// Starts the third one, as it is started each time.
  private void start(boolean unread) throws IOException {
    List<String> before = disk.map(SmallDisk::enter).orElse(List.of());
    n3.start(process(before, arguments(n3, "--join", n1.address + "," + n2.address)), unread);
  }

  /// Starts the third one after a crash, with what it has stored.
  private RehearsalPage.Block startAgain(String block) throws IOException {
    n3.mark();
    start(false);
    RehearsalPage.Block after = page.block(block).of("log of n3");
    after.line(n3.log(".*: goes on from stable storage: .*"));
    after.line(n3.log(".*: caught up at position .*"));
    return after.of("log of n1").line(n1.log(".*: primary view of n1, n2, n3; joined: n3"));
  }

  private void whole() {
    for (RehearsedMember member : List.of(n1, n2, n3)) {
      RehearsedMember.await(member.name + " is whole: " + member.status(), () -> member.isWhole(3));
    }
  }

  @BeforeEach
  void begin() throws IOException {
    assertThat(broken).as("what happened before has not ended").isFalse();
    broken = true; // until it is whole again
    mark();
  }

  private void mark() throws IOException {
    for (RehearsedMember member : List.of(n1, n2, n3)) {
      member.mark();
    }
  }

  /// The way out has worked; otherwise nothing else can be tried.
  private void ended(RehearsalPage.Block... blocks) throws IOException {
    whole();
    broken = false;
    for (RehearsalPage.Block block : blocks) {
      block.check();
    }
  }

  /// Who has noticed first that the third one is gone: the other one is told by it, and may not notice it itself.
  private RehearsedMember noticed(String words) {
    String line = ".*: n3 is suspected: " + words;
    RehearsedMember.await("n3 is suspected", () -> n1.hasLogged(line) || n2.hasLogged(line));
    return n1.hasLogged(line) ? n1 : n2;
  }

  /// What the log and the metrics tell of a third member that is gone.
  private RehearsalPage.Block gone(RehearsalPage.Block seen, String words, String reason) {
    RehearsedMember first = noticed(words);
    seen.of("log of n1 or n2, whichever notices it first");
    seen.line(first.log(".*: n3 is suspected: " + words).replace(" at n2 ", " at n1 "));
    first.log(".*: primary view of n1, n2(, s)?; gone: .*");
    seen.of("its metrics that grow");
    seen.line(first.grows("tutti_view_members_suspected_total{reason=\"" + reason + "\"}"));
    RehearsedMember.await("a view without n3", () -> RehearsedMember.members(n1.status()).equals(List.of("n1", "n2")));
    return seen;
  }

  @AfterAll
  void end() {
    started.forEach(RehearsedMember::end);
    disk.ifPresent(SmallDisk::close);
  }

  // ---- what an operator types ------------------------------------------------------------------------------------

  private static String shown(List<String> args) {
    return String.join(" ", args);
  }

  private record Printed(int code, List<String> lines) {}

  /// Runs a command of which only the end matters.
  private String run(String... args) throws Exception {
    Printed printed = print(List.of(), "", args);
    assertThat(printed.code).as("%s", printed.lines).isZero();
    return "tutti " + String.join(" ", args);
  }

  private Printed print(List<String> before, String input, String... args) throws Exception {
    Path output = Files.createTempFile(directory, "printed", ".txt");
    Process process = process(before, List.of(args)).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    }
    try {
      assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).as("%s ends", List.of(args)).isTrue();
      return new Printed(process.exitValue(), Files.readString(output).lines().toList());
    } finally {
      process.destroyForcibly();
    }
  }

  /// Multicasts lines of 30 kB.
  private void send(int lines) throws Exception {
    String[] args = {"send", "--group=bank", "--name=s", "--join=" + n1.address, "--tls=" + certs("ops")};
    Printed printed = print(List.of(), ("x".repeat(LINE_BYTES) + "\n").repeat(lines), args);
    assertThat(printed.code).as("%s", printed.lines).isZero();
  }

  /// What `tutti status --json` tells of a member, as far as it shows trouble.
  private String status(RehearsedMember member) throws Exception {
    Printed printed = print(List.of(), "", "status", "--json", member.health);
    assertThat(printed.code).as("%s", printed.lines).isZero();
    Map<String, Object> all = JSON.std.mapFrom(printed.lines.getLast());
    Map<String, Object> some = new LinkedHashMap<>();
    some.put("serving", all.get("serving"));
    some.put("members", RehearsedMember.members(all));
    some.put("waits", all.get("waits"));
    some.put("refused", sorted(all.get("refused")));
    return member.name + ": " + JSON.std.asString(some);
  }

  private static List<?> sorted(@Nullable Object refused) {
    return ((List<?>) refused)
        .stream().sorted(Comparator.comparing((Object one) -> String.valueOf(((Map<?, ?>) one).get("by")))).toList();
  }

  /// The line of a doctor that begins with a word.
  private String doctor(String beginning, List<String> before) throws Exception {
    String[] args = {"doctor", "--group=bank", "--listen=" + n3.address, "--join=" + n1.address};
    String[] more = {"--tls=" + certs("n3"), "--data=" + data(n3), "--health=" + n3.health};
    Printed printed = print(before, "", Stream.of(args, more).flatMap(Stream::of).toArray(String[]::new));
    assertThat(printed.code).isEqualTo(1);
    return printed.lines.stream().filter(line -> line.startsWith(beginning)).findFirst().orElseThrow();
  }

  // ---- what happens ----------------------------------------------------------------------------------------------

  @Test
  @Order(1)
  void aMemberIsPaused() throws Exception {
    n3.signal("STOP");
    RehearsalPage.Block seen = gone(page.block("paused"), "not heard here for .*", "silence");
    seen.of("tutti status --json").line(status(n1));
    seen.of("/health").line(n1.codes()).line(n3.codes());
    n3.signal("CONT");
    RehearsalPage.Block after = page.block("paused-after").of("log of n3");
    after.line(n3.log("node n3: this process has not run for .*"));
    after.of("log of n1").line(n1.log(".*: primary view of n1, n2, n3; joined: n3"));
    whole();
    after.of("/health").line(n3.codes());
    ended(seen, after);
  }

  @Test
  @Order(2)
  void aMemberIsKilled() throws Exception {
    n3.signal("KILL");
    n3.exitCode();
    RehearsalPage.Block seen = gone(page.block("killed"), "its host refuses connections", "connection-refused");
    seen.of("tutti status --json").line(status(n1));
    seen.of("/health").line(n1.codes()).line(n3.codes());
    ended(seen, startAgain("killed-after"));
  }

  @Test
  @Order(3)
  void itsDiskIsFull() throws Exception {
    assumeThat(disk).as("skipped: a small disk needs root and namespaces here").isPresent();
    disk.get().fill();
    send(LINES_OF_A_FILE);
    assertThat(n3.exitCode()).isEqualTo(1);
    RehearsalPage.Block seen = page.block("full").of("log of n3, which ends with exit code 1");
    seen.line(n3.log("node n3 stops"));
    seen.line(n3.log(".*: the membership has ended: .*No space left on device.*"));
    seen.line(n3.log("tutti member: no longer a member of group \"bank\": .*"));
    gone(seen, "its host refuses connections", "connection-refused");
    seen.of("tutti status --json").line(status(n1));
    seen.of("/health").line(n1.codes()).line(n3.codes());
    seen.of("tutti doctor, on the host of n3").line(doctor("FAIL data", disk.get().enter()));
    disk.get().makeRoom();
    ended(seen, startAgain("full-after"));
  }

  @Test
  @Order(4)
  void aConsumerIsStuck() throws Exception {
    n3.signal("TERM");
    assertThat(n3.exitCode()).isZero();
    start(true);
    whole();
    mark();
    send(LINES_OF_A_PIPE);
    RehearsalPage.Block seen = page.block("stuck").of("log of n1");
    seen.line(n1.log(".*: the application of n3 has taken nothing for .*"));
    seen.of("log of n3");
    seen.line(n3.log(".*: the application has been at an event, or has not asked for the next one, for .*"));
    seen.of("metrics of n1 that grow");
    seen.line(n1.grows("tutti_engine_standstills_begun_total{reason=\"consumption\"}"));
    seen.of("tutti status --json").line(status(n1));
    RehearsedMember.await("not ready", () -> n3.codes().contains("ready 503"));
    seen.of("/health").line(n1.codes()).line(n3.codes());
    n3.read();
    RehearsalPage.Block after = page.block("stuck-after").of("log of n3");
    after.line(n3.log(".*: the application takes events again, after .*"));
    whole();
    after.of("tutti status --json").line(status(n1));
    ended(seen, after);
  }

  @Test
  @Order(5)
  void aCertificateHasExpired() throws Exception {
    n3.signal("TERM");
    assertThat(n3.exitCode()).isIn(0, 1);
    n1.log(".*; gone: n3 \\(it left\\).*");
    Instant end = Instant.now().minus(Duration.ofHours(1));
    Authority.in(certs("")).issue("n3", "tutti", end.minus(Duration.ofDays(1)), end);
    mark();
    start(false);
    RehearsalPage.Block seen = page.block("expired").of("log of n3");
    seen.line(n3.log(".*: this node is refused by " + n1.address + ": .*"));
    seen.of("log of n1").line(n1.log(".*: this node refuses " + n3.address + ": .*"));
    seen.of("metrics of n1 that grow");
    seen.line(n1.grows("tutti_tcp_connections_closed_total{reason=\"expired-certificate\"}"));
    RehearsedMember.await("two refusals", () -> sorted(n3.status().get("refused")).size() == 2);
    seen.of("tutti status --json").line(status(n3)).line(status(n1));
    seen.of("/health").line(n1.codes()).line(n3.codes());
    seen.of("tutti doctor, on the host of n3").line(doctor("FAIL tls", disk.map(SmallDisk::enter).orElse(List.of())));
    RehearsalPage.Block after =
        page.block("expired-after").of("$ " + run("certs", "--dir", certs("").toString(), "n3"));
    after.of("log of n1").line(n1.log(".*: primary view of n1, n2, n3; joined: n3"));
    ended(seen, after);
  }

  @Test
  @Order(6)
  void aMemberOfAnotherClusterComesHere() throws Exception {
    run("certs", "--dir", certs("").toString(), "--cluster", "other", "x1", "x2");
    RehearsedMember x1 = member("x1");
    x1.start(process(List.of(), foreign(x1, "--create")), false);
    x1.log(".*caught up at position 0");
    RehearsedMember x2 = member("x2");
    x2.start(process(List.of(), foreign(x2, "--join", n1.address, "--timeout", "8s")), false);
    assertThat(x2.exitCode()).isEqualTo(1);
    RehearsalPage.Block seen = page.block("foreign").of("log of x2, which ends with exit code 1");
    seen.line(x2.log(".*: this node is refused by .*"));
    seen.line(x2.log("tutti member: refused by .*"));
    seen.of("metrics of n1 that grow");
    seen.line(n1.grows("tutti_tcp_connections_closed_total{reason=\"refused-by-peer\"}"));
    seen.of("tutti status --json").line(status(n1));
    seen.of("/health").line(n1.codes());
    List<String> right = foreign(x2, "--join", x1.address);
    RehearsalPage.Block after = page.block("foreign-after").of("log of x1");
    x2.start(process(List.of(), right), false);
    after.line(x1.log(".*: primary view of x1, x2; joined: x2"));
    ended(seen, after);
  }

  private List<String> foreign(RehearsedMember member, String... beginning) {
    var args = new ArrayList<>(List.of("member", "--cluster", "other", "--group", "bank", "--name", member.name));
    args.addAll(List.of("--listen", member.address, "--tls", certs(member.name).toString()));
    args.addAll(List.of("--health", member.health));
    args.addAll(List.of(beginning));
    return args;
  }
}
