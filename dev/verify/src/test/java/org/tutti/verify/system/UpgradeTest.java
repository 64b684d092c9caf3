package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// Carries out `docs/guides/upgrade.md`: three members of an earlier build, run as an operator runs them, are replaced
/// one after the other by members of this build, on the same directories, and by the earlier build again, while
/// commands of both builds multicast.
@Tag("deep")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeTest {
  private static final String SUSPECT_AFTER = "5s"; // beside other tests a process may get no processor for seconds
  private static final long STEP_SECONDS_MAX = 120; // four seconds, if the processors do nothing else
  private static final long LINE_EVERY_MILLIS = 25;
  private static final int KILLED = 128 + 9;
  private static final String LIMIT = "--group-version-max";
  private static final Pattern DELIVERY = Pattern.compile("(\\d+) (\\S+: \\S+)\\."); // not one that was torn by a kill
  private static final Pattern NAMES = Pattern.compile("\\b(?:n\\d|old|new)(?:, (?:n\\d|old|new)\\b)+");
  private static final Pattern FAILURE = Pattern.compile(".*( SEVERE |Exception|\\bat java\\.).*");

  @TempDir private static Path directory;

  @RegisterExtension final CommandProcesses processes = new CommandProcesses();
  private final List<RehearsedMember> members = new ArrayList<>();
  private final List<Sender> senders = new ArrayList<>();
  private final Map<RehearsedMember, Integer> away = new HashMap<>(); // how often
  private EarlierBuild base;
  private InstalledTutti earlier;
  private InstalledTutti current;
  private RehearsalPage page;
  private Path home; // of one group
  private int version; // of the group when it was founded

  @BeforeAll
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void build() throws Exception {
    base = EarlierBuild.make();
    earlier = base.tutti();
    current = InstalledTutti.in(directory);
    System.out.println("upgrades " + base.name() + " to " + current.which());
  }

  // ---- the group -------------------------------------------------------------------------------------------------

  /// Three members of the earlier build, and a command of each build that multicasts.
  @BeforeEach
  void found() throws Exception {
    home = Files.createTempDirectory(directory, "group");
    page = new RehearsalPage("upgrade.md");
    for (String name : List.of("n1", "n2", "n3")) {
      var member = new RehearsedMember(name, home);
      members.add(member);
      page.show(member.address, name + ":7400");
      page.show(member.health, name + ":8080");
      page.show(home.resolve(name).toString(), "/var/lib/tutti");
    }
    for (RehearsedMember member : members) {
      start(member, earlier);
    }
    whole();
    version = version();
    RehearsalPage.Block before = page.block("before").of("$ tutti status " + members.getFirst().health);
    print(earlier, "status", members.getFirst().health).forEach(line -> before.line(sorted(line)));
    before.check();
    send("old", earlier);
    send("new", current);
  }

  private void send(String name, InstalledTutti build) throws Exception {
    senders.add(new Sender(name, build));
    senders.getLast().awaitProgress();
  }

  /// Who founded the group together, and who came back when, differs from run to run.
  private static String sorted(String line) {
    return NAMES
        .matcher(line)
        .replaceAll(names -> Stream.of(names.group().split(", ")).sorted().collect(Collectors.joining(", ")));
  }

  @AfterEach
  void end() {
    senders.forEach(Sender::close);
    senders.clear();
    members.forEach(RehearsedMember::end);
    members.clear();
    away.clear();
  }

  /// The same at each start.
  private List<String> arguments(RehearsedMember member, String... more) {
    String contacts = members.stream().map(one -> one.address).collect(Collectors.joining(","));
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--name", member.name));
    args.addAll(List.of("--listen", member.address, "--join", contacts, "--expect", "n1,n2,n3"));
    args.addAll(List.of("--data", home.resolve(member.name).toString(), "--health", member.health));
    args.addAll(List.of(more));
    return args;
  }

  private static ProcessBuilder process(InstalledTutti build, List<String> args) {
    ProcessBuilder builder = build.process(List.of(), args);
    builder.environment().put("TUTTI_SUSPECT_AFTER", SUSPECT_AFTER);
    return builder;
  }

  private void start(RehearsedMember member, InstalledTutti build, String... more) throws IOException {
    member.start(process(build, arguments(member, more)), false);
  }

  private void whole() {
    int all = members.size() + senders.size();
    for (RehearsedMember member : members) {
      RehearsedMember.await(member.name + " is whole: " + member.status(), () -> member.isWhole(all));
    }
  }

  /// The version that each member says its group speaks, to the commands of both builds.
  private int version() throws Exception {
    int first = version(members.getFirst(), earlier);
    for (RehearsedMember member : members) {
      assertThat(version(member, earlier)).as(member.name).isEqualTo(first);
      assertThat(version(member, current)).as(member.name).isEqualTo(first);
    }
    return first;
  }

  private int version(RehearsedMember member, InstalledTutti asker) throws Exception {
    Map<String, Object> status = JSON.std.mapFrom(print(asker, "status", "--json", member.health).getLast());
    assertThat(status).containsEntry("serving", true);
    return (Integer) ((Map<?, ?>) status.get("view")).get("version");
  }

  private List<String> print(InstalledTutti build, String... args) throws Exception {
    CommandProcess process = processes.start(process(build, List.of(args)));
    assertThat(process.exitCode()).as("%s: %s", List.of(args), process.errors()).isZero();
    return process.lines();
  }

  /// One member goes, and comes back as another build of the same command, on what it has stored.
  private void replace(RehearsedMember member, String signal, InstalledTutti build, String... more) throws Exception {
    long begin = System.nanoTime();
    member.signal(signal);
    assertThat(member.exitCode()).isEqualTo(signal.equals("KILL") ? KILLED : 0);
    member.mark();
    away.merge(member, 1, Integer::sum);
    start(member, build, more);
    print(build, "probe", "--wait", "1m", member.health);
    assertThat(member.hasLogged(".*: goes on from stable storage: .*")).isTrue();
    whole();
    for (Sender sender : senders) {
      sender.awaitProgress();
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
    assertThat(seconds).as("until %s serves again", member.name).isLessThan(STEP_SECONDS_MAX);
    String which = build == earlier ? base.name() : "this build";
    System.out.printf("%s by %s is %s %s after %d s%n", member.name, signal, which, List.of(more), seconds);
  }

  // ---- the load --------------------------------------------------------------------------------------------------

  /// `tutti send` of one build, which gets a line now and then, each another one.
  private final class Sender implements AutoCloseable {
    private final String name;
    private final CommandProcess process;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final List<String> sent = new ArrayList<>(); // of the clock's thread until it has ended

    Sender(String name, InstalledTutti build) throws Exception {
      this.name = name;
      String contacts = members.stream().map(one -> one.address).collect(Collectors.joining(","));
      process =
          processes.start(process(build, List.of("send", "--group=bank", "--name=" + name, "--join=" + contacts)));
      clock.scheduleWithFixedDelay(this::send, 0, LINE_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void send() {
      try {
        String text = name + "-" + sent.size();
        process.type(text + ".\n");
        sent.add(name + ": " + text);
      } catch (IOException ended) {
        clock.shutdown(); // what it prints says why
      }
    }

    /// Waits until something that was sent after this moment is ordered.
    void awaitProgress() throws InterruptedException {
      int known = process.lines().size();
      while (process.lines().size() <= known) {
        process.line();
      }
    }

    /// What was sent, by the position that was printed for it; all of it.
    Map<Long, String> finish() throws Exception {
      clock.shutdown();
      assertThat(clock.awaitTermination(STEP_SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
      process.endInput();
      assertThat(process.exitCode()).as("%s: %s", name, process.errors()).isZero();
      List<String> positions = process.lines();
      assertThat(positions).as("lines that %s was told the position of", name).hasSameSizeAs(sent);
      var acknowledged = new TreeMap<Long, String>();
      for (int i = 0; i < sent.size(); i++) {
        assertThat(acknowledged.put(Long.valueOf(positions.get(i)), sent.get(i))).isNull();
      }
      return acknowledged;
    }

    @Override
    public void close() {
      clock.shutdownNow();
    }
  }

  // ---- what was seen ---------------------------------------------------------------------------------------------

  /// What a member has printed in all its lives: it may print again what it had not said to be done with.
  private Map<Long, String> delivered(RehearsedMember member) throws IOException {
    var delivered = new HashMap<Long, String>();
    try (Stream<String> lines = Files.lines(home.resolve(member.name + ".out"))) {
      lines
          .map(DELIVERY::matcher)
          .filter(Matcher::matches)
          .forEach(line -> {
            String before = delivered.put(Long.valueOf(line.group(1)), line.group(2));
            assertThat(before).as(member.name + " at " + line.group(1)).isIn(null, line.group(2));
          });
    }
    return delivered;
  }

  /// Everything that was acknowledged was delivered at its position, and nothing at two, by all members that were
  /// there: at least two of them, as one at a time is away. A member of `tutti` has no state to get, so one that was
  /// away goes on where it is in the group again. Nobody failed.
  private void check() throws Exception {
    var acknowledged = new TreeMap<Long, String>();
    for (Sender sender : senders) {
      acknowledged.putAll(sender.finish());
    }
    senders.clear();
    var copies = new HashMap<Long, Integer>();
    for (RehearsedMember member : members) {
      Long last = acknowledged.lastKey();
      RehearsedMember.await(
          member.name + " delivers " + last,
          () -> {
            try {
              return delivered(member).containsKey(last);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      Map<Long, String> delivered = delivered(member);
      assertThat(delivered.values()).as(member.name + " delivers each once").doesNotHaveDuplicates();
      int gaps = 0;
      boolean there = true;
      for (Map.Entry<Long, String> one : acknowledged.entrySet()) {
        String text = delivered.get(one.getKey());
        assertThat(text).as("%s at %d", member.name, one.getKey()).isIn(null, one.getValue());
        gaps += there && text == null ? 1 : 0;
        there = text != null;
        copies.merge(one.getKey(), there ? 1 : 0, Integer::sum);
      }
      assertThat(gaps).as("gaps of " + member.name).isLessThanOrEqualTo(away.getOrDefault(member, 0));
    }
    assertThat(copies.values()).as("how many have delivered each").allMatch(count -> count >= members.size() - 1);
    for (RehearsedMember member : members) {
      member.signal("TERM");
      assertThat(member.exitCode()).as(member.name).isZero();
      assertThat(Files.readAllLines(home.resolve(member.name + ".log")))
          .as("log of " + member.name)
          .noneMatch(line -> FAILURE.matcher(line).matches());
    }
    System.out.println(acknowledged.size() + " lines were acknowledged and delivered");
  }

  // ---- what happens ----------------------------------------------------------------------------------------------

  @Test
  void aGroupIsUpgradedAndTakenBack() throws Exception {
    showTheFirstStep();
    assertThat(version()).as("as long as members of the earlier build are there").isEqualTo(version);
    replace(members.get(1), "KILL", current);
    assertThat(version()).isEqualTo(version);
    replace(members.get(2), "TERM", current);
    int risen = version();
    if (risen == version) {
      replace(members.get(2), "KILL", earlier);
      replace(members.get(0), "TERM", earlier);
      replace(members.get(1), "TERM", earlier);
      assertThat(version()).isEqualTo(version);
    } else {
      assertThat(risen).isGreaterThan(version);
      System.out.println("no way back, as the group has risen to version " + risen);
    }
    check();
  }

  /// What an operator sees of a step is on the page.
  private void showTheFirstStep() throws Exception {
    RehearsedMember first = members.getFirst();
    RehearsedMember other = members.getLast();
    other.mark();
    replace(first, "TERM", current);
    RehearsalPage.Block step = page.block("step").of("$ kill -TERM PID");
    step.of("log of n3").line(sorted(other.log(".*; gone: n1 \\(it left\\).*")));
    step.of("$ tutti " + String.join(" ", arguments(first)));
    step.of("log of n1").line(first.log(".*: goes on from stable storage: .*"));
    step.line(first.log(".*: caught up at position .*"));
    step.of("log of n3").line(sorted(other.log(".*: primary view of .*; joined: n1")));
    step.of("$ tutti probe --wait 1m " + first.health);
    print(current, "probe", "--wait", "1m", first.health).forEach(line -> step.line(sorted(line)));
    step.check();
  }

  @Test
  void aGroupThatIsHeldBackCanBeTakenBackUntilItIsLetGo() throws Exception {
    String[] limit = {LIMIT, Integer.toString(version)};
    for (RehearsedMember member : members) {
      replace(member, "TERM", current, limit);
      assertThat(version()).isEqualTo(version);
    }
    RehearsalPage.Block held = page.block("held").of("$ tutti " + String.join(" ", arguments(members.get(0), limit)));
    held.of("$ tutti status " + members.get(0).health);
    print(current, "status", members.get(0).health).forEach(line -> held.line(sorted(line)));
    held.check();
    replace(members.get(1), "TERM", earlier, limit); // the earlier one knows the option, too
    replace(members.get(1), "KILL", current, limit);
    assertThat(version()).isEqualTo(version);
    for (RehearsedMember member : members) {
      replace(member, "TERM", current);
    }
    assertThat(version()).isGreaterThanOrEqualTo(version);
    check();
  }
}
