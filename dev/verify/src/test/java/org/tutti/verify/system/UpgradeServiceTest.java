package org.tutti.verify.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.blocks.Codec;
import org.tutti.blocks.ReplicatedMap;
import org.tutti.blocks.Versioned;
import org.tutti.lab.CallHistory;
import org.tutti.lab.CallVerdict;
import org.tutti.lab.HistoryFiles;
import org.tutti.lab.LabClients;
import org.tutti.lab.LabReplica;
import org.tutti.lab.LabVerdict;
import org.tutti.replica.Client;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// A replicated service is upgraded while clients call it, and taken back, as a program is whose libraries are
/// replaced: replicas and clients are the programs of the network lab, which run with the modules of an earlier build
/// or of this one. What clients were told and what replicas executed is checked as in a lab.
@Tag("deep")
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeServiceTest {
  private static final List<String> NAMES = List.of("n1", "n2", "n3");
  private static final String SERVICE = "lab";
  private static final String MAP = "calls";
  private static final int CLIENTS = 3; // of each build; one of them only reads
  private static final int RATE = 25; // calls a second and client
  private static final int KILLED = 128 + 9;
  private static final int LEFT = 128 + 15;
  private static final int LAB_HAS_GONE = 3;
  private static final long STEP_SECONDS_MAX = 120; // three seconds, if the processors do nothing else
  private static final Pattern VIEW = Pattern.compile("(?:primary|other) view in version (\\d+): .*");
  private static final Pattern AT = Pattern.compile("\"at\":(\\d+)");
  private static final Pattern KEY = Pattern.compile("\"key\":\"(\\w+)\"");

  /// A replica's process in one of its lives.
  private record Life(CommandProcess process, Path history) {}

  @TempDir Path directory;

  @RegisterExtension final CommandProcesses processes = new CommandProcesses();
  private final List<Life> lives = new ArrayList<>(); // the current ones, by number
  private final List<CommandProcess> ended = new ArrayList<>();
  private final List<CommandProcess> clients = new ArrayList<>();
  private EarlierBuild base;
  private String earlier; // class paths
  private String current;
  private int started;

  @BeforeEach
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void build() throws Exception {
    base = EarlierBuild.make();
    current = System.getProperty("java.class.path");
    Path lab = Path.of(LabReplica.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    earlier = lab + File.pathSeparator + base.classPath();
  }

  // ---- processes -------------------------------------------------------------------------------------------------

  /// A loopback address that no other test of this host has.
  private static String host(int replica) {
    long own = ProcessHandle.current().pid();
    return "127." + (1 + (own >> 8) % 250) + "." + (own & 255) + "." + (replica + 1);
  }

  private static List<String> addresses(int port) {
    return IntStream.range(0, NAMES.size()).mapToObj(replica -> host(replica) + ":" + port).toList();
  }

  private CommandProcess run(String classPath, Class<?> program, List<String> args) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.add("-Djava.util.logging.config.file=" + Path.of("src/test/resources/logging.properties").toAbsolutePath());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, program.getName()));
    command.addAll(args);
    return processes.start(command);
  }

  private Life start(int replica, String classPath) throws IOException {
    String name = NAMES.get(replica);
    Path history = HistoryFiles.file(directory, name + "-" + ++started);
    var args = new ArrayList<>(List.of(name, host(replica) + ":7000", history.toString()));
    args.addAll(List.of("data:" + directory.resolve(name), "SEQUENCER", "tcp", "1"));
    args.addAll(addresses(7000));
    return new Life(run(classPath, LabReplica.class, args), history);
  }

  private void call(String classPath, int program) throws IOException {
    var args = new ArrayList<>(List.of(calls(program).toString(), "" + program, CLIENTS + "/" + program));
    args.addAll(addresses(8000));
    clients.add(run(classPath, LabClients.class, args));
    clients.getLast().type("rate " + RATE + "\n");
  }

  private Path calls(int program) {
    return directory.resolve("calls-" + program + ".jsonl");
  }

  private void replace(int replica, String signal, String classPath) throws Exception {
    long begin = System.nanoTime();
    Life before = lives.get(replica);
    before.process.signal(signal);
    assertThat(before.process.exitCode()).isEqualTo(signal.equals("KILL") ? KILLED : LEFT);
    HistoryFiles.ended(before.history);
    ended.add(before.process);
    lives.set(replica, start(replica, classPath));
    lives.get(replica).process.lineMatching("serves");
    awaitAnswers();
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
    assertThat(seconds).as("until %s serves again", NAMES.get(replica)).isLessThan(STEP_SECONDS_MAX);
    String which = classPath.equals(earlier) ? base.name() : "this build";
    System.out.printf("%s by %s is %s after %d s%n", NAMES.get(replica), signal, which, seconds);
  }

  // ---- calls -----------------------------------------------------------------------------------------------------

  /// The whole lines of a program's file.
  private List<String> lines(int program) {
    try (Stream<String> lines = Files.lines(calls(program))) {
      return lines.filter(line -> line.endsWith("}")).toList();
    } catch (IOException notYet) {
      return List.of();
    }
  }

  private static long count(List<String> lines, String what) {
    return lines.stream().filter(line -> line.contains(what)).count();
  }

  /// Waits until the clients of both builds are told something that they asked for after this moment.
  private void awaitAnswers() {
    for (int program = 1; program <= clients.size(); program++) {
      int asked = program;
      long known = count(lines(program), "\"told\"") + CLIENTS; // each may have one call open
      RehearsedMember.await("answers of clients " + program, () -> count(lines(asked), "\"told\"") > known);
    }
  }

  private void endCalls() throws Exception {
    for (int program = 1; program <= clients.size(); program++) {
      int asked = program;
      clients.get(program - 1).type("rate 0\n");
      RehearsedMember.await(
          "ends of all calls of clients " + program,
          () -> count(lines(asked), "\"op\"") == count(lines(asked), "\"outcome\""));
      clients.get(program - 1).endInput();
      assertThat(clients.get(program - 1).exitCode()).isEqualTo(LAB_HAS_GONE);
    }
  }

  /// The calls of all, by their times, and at the end what is there of each key: so what was acknowledged and lost is
  /// seen.
  private void writeCalls() throws Exception {
    var all = new ArrayList<>(lines(1));
    all.addAll(lines(2));
    var keys = new TreeSet<String>();
    all.forEach(line -> {
      Matcher key = KEY.matcher(line);
      if (key.find()) {
        keys.add(key.group(1));
      }
    });
    try (Client reader = Client.of(SERVICE).at(addresses(8000).toArray(String[]::new)).connect()) {
      ReplicatedMap<String, Long> map = ReplicatedMap.of(reader, MAP, Codec.text(), Codec.number());
      long number = Long.MAX_VALUE - keys.size();
      for (String key : keys) {
        String made =
            "{\"at\":%d,\"call\":%d,\"client\":9999,\"op\":\"get\",\"key\":\"%s\",\"value\":0,\"expected\":0}";
        all.add(made.formatted(System.nanoTime(), number, key));
        Optional<Versioned<Long>> there = map.getAsync(key).get();
        String told = "{\"at\":%d,\"call\":%d,\"outcome\":\"told\",\"result\":%d,\"version\":%d}";
        long value = there.map(Versioned::value).orElse(0L);
        all.add(told.formatted(System.nanoTime(), number, value, there.map(Versioned::version).orElse(0L)));
        number++;
      }
    }
    all.sort(Comparator.comparingLong(UpgradeServiceTest::at));
    Files.write(directory.resolve(CallHistory.FILE), all);
  }

  private static long at(String line) {
    Matcher at = AT.matcher(line);
    assertThat(at.find()).as(line).isTrue();
    return Long.parseLong(at.group(1));
  }

  private void awaitSamePosition() {
    RehearsedMember.await(
        "replicas at one position", () -> lives.stream().map(life -> position(life.history)).distinct().count() == 1);
  }

  private static long position(Path history) {
    try {
      return HistoryFiles.position(history);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // ---- what happens ----------------------------------------------------------------------------------------------

  @Test
  void callsAreExecutedOnceInOneOrderWhileReplicasAreUpgradedAndTakenBack() throws Exception {
    for (int replica = 0; replica < NAMES.size(); replica++) {
      lives.add(start(replica, earlier));
    }
    for (Life life : lives) {
      life.process.lineMatching("serves");
    }
    call(earlier, 1);
    call(current, 2);
    awaitAnswers();
    replace(0, "TERM", current);
    replace(1, "KILL", current);
    replace(2, "TERM", current);
    if (versions().size() == 1) { // otherwise the group has risen, and there is no way back
      replace(2, "KILL", earlier);
      replace(0, "TERM", earlier);
      replace(1, "TERM", earlier);
    }
    endCalls();
    awaitSamePosition();
    writeCalls();
    LabVerdict verdict = HistoryFiles.read(directory).judge(null);
    System.out.println(verdict.calls() + "; " + verdict.messages() + " commands");
    assertThat(verdict.violations()).isEmpty();
    CallVerdict calls = verdict.calls();
    assertThat(calls).isNotNull();
    assertThat(calls.word()).isEqualTo("LINEARIZABLE");
    assertThat(calls.told()).isGreaterThan(calls.calls() / 2);
    endReplicas();
  }

  /// Those of all views that were seen.
  private TreeSet<Integer> versions() {
    var versions = new TreeSet<Integer>();
    Stream.concat(ended.stream(), lives.stream().map(Life::process))
        .forEach(process -> {
          for (String line : process.lines()) {
            Matcher view = VIEW.matcher(line);
            if (view.matches()) {
              versions.add(Integer.valueOf(view.group(1)));
            }
          }
        });
    versions.remove(0); // as long as nobody knows a history
    return versions;
  }

  private void endReplicas() throws Exception {
    for (Life life : lives) {
      life.process.signal("TERM");
      assertThat(life.process.exitCode()).isEqualTo(LEFT);
      ended.add(life.process);
    }
    for (CommandProcess process : ended) {
      assertThat(process.errors()).noneMatch(line -> line.contains(" SEVERE ") || line.contains("Exception"));
    }
  }
}
