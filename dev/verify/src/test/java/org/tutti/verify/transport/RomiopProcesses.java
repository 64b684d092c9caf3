package org.tutti.verify.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Tree;
import org.tutti.verify.SharedFile;

/// The servers of the example of `docs/romiop.md`, and programs that are started like them; compiled without Tutti.
/// They share an ahead-of-time cache of the classes of a server.
final class RomiopProcesses {
  static final Path EXAMPLE = Tree.root().resolve("transports/romiop/example");
  static final int SERVERS = 3;

  /// Beside other tests a process may get no processor for seconds.
  private static final Duration SUSPECT_AFTER = Duration.ofSeconds(15);

  private static final List<Path> LIBRARIES = libraries();
  private static final List<Path> CLASS_PATH = Stream.concat(LIBRARIES.stream(), Stream.of(example())).toList();
  private static final List<String> CACHE =
      SharedFile.cacheOptions("romiop.aot", CLASS_PATH, RomiopProcesses::training, "IOR:");

  final List<Process> servers = new ArrayList<>();
  final List<String> addresses = LoopbackPorts.addresses(SERVERS);
  private final List<Program> programs = new ArrayList<>();
  private final List<String> common;
  private final Path errors = Files.createTempFile("romiop-servers", ".err"); // what they print there

  /// @param common properties of all servers
  RomiopProcesses(String... common) throws IOException {
    this.common = List.of(common);
  }

  /// A process that answers each line that it is told by another one.
  record Program(Process process, Writer told, BufferedReader said) {
    static Program of(Process process) {
      return new Program(process, process.outputWriter(), process.inputReader());
    }

    void tell(String line) throws IOException {
      told.write(line + "\n");
      told.flush();
    }

    String ask(String line) throws IOException {
      tell(line);
      return said.readLine();
    }
  }

  /// Starts all servers and waits until they are a group.
  ///
  /// @param differing of each server
  /// @return the references to their own objects
  List<String> start(List<List<String>> differing) throws Exception {
    for (int i = 0; i < SERVERS; i++) {
      servers.add(server(i, differing.get(i).toArray(new String[0])));
    }
    List<String> references = new ArrayList<>();
    for (Process server : servers) {
      references.add(server.inputReader().readLine());
      assertThat(references.getLast()).as("a server's reference; they said: %s", Files.readString(errors)).isNotNull();
    }
    awaitAll();
    return references;
  }

  Process server(int index, String... more) throws IOException {
    var differing = new ArrayList<>(List.of(more));
    differing.addAll(common);
    differing.addAll(
        List.of(
            "tutti.romiop.contacts=" + String.join(",", addresses),
            "tutti.romiop.name=s" + (index + 1),
            "tutti.romiop.listen=" + addresses.get(index),
            "OAIAddr=127.0.0.1"));
    List<String> properties = Files.readAllLines(EXAMPLE.resolve("server.properties"));
    return new ProcessBuilder(command(CACHE, CLASS_PATH, "CounterServer", properties, differing))
        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
        .start();
  }

  Program client(List<String> properties) throws IOException {
    return program(run(command(CACHE, CLASS_PATH, "CounterClient", properties, List.of())));
  }

  Program program(Process process) {
    programs.add(Program.of(process));
    return programs.getLast();
  }

  void kill(int server) throws InterruptedException {
    servers.get(server).destroyForcibly().waitFor();
  }

  void end() throws IOException, InterruptedException {
    for (Program program : programs) {
      program.process().destroyForcibly().waitFor();
    }
    for (Process server : servers) {
      server.destroyForcibly().waitFor();
    }
    Files.deleteIfExists(errors);
  }

  /// With the servers' time of suspicion: one that waits less than their heartbeat would suspect them all the time.
  static Node node(String name, String contact) {
    return Node.named(name).cluster("demo").contacts(contact).suspectAfter(SUSPECT_AFTER).start();
  }

  /// Servers that begin at once found the group when most of them are there; whoever comes later, and gets no state,
  /// has missed what was called before.
  void awaitAll() throws InterruptedException {
    try (Node watcher = node("watcher", addresses.getLast())) {
      Group group = watcher.observe(group(), MemberConfig.builder().takesState(false).build());
      awaitView(group, view -> view.primary() && view.voting() == SERVERS);
    }
  }

  /// What the servers' group is called among nodes.
  String group() {
    return common.contains("tutti.romiop.stack=reliable") ? "counter!reliable" : "counter";
  }

  /// Whether the member is in the view, from now on.
  static void awaitMember(Group group, String name, boolean there) throws InterruptedException {
    awaitView(group, view -> view.members().stream().anyMatch(member -> member.name().equals(name)) == there);
  }

  private static void awaitView(Group group, Predicate<View> wanted) throws InterruptedException {
    while (!(group.receive() instanceof Event.ViewChange(View view)) || !wanted.test(view)) {
      // Other events do not matter.
    }
  }

  private static List<Path> libraries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of)
        .filter(entry -> Files.exists(entry) && !entry.endsWith("test-classes"))
        .toList();
  }

  private static Path example() {
    Path idl = EXAMPLE.resolve("counter.idl");
    List<Path> sources = List.of(idl, EXAMPLE.resolve("CounterServer.java"), EXAMPLE.resolve("CounterClient.java"));
    return Objects.requireNonNull(
        SharedFile.of(
            "romiop-example.jar",
            sources,
            next -> {
              Path compiled = Files.createTempDirectory(next.getParent(), "romiop-example");
              compile(compiled, idl, EXAMPLE);
              succeed("jar", "--create", "--file=" + next, "-C", compiled.resolve("classes").toString(), ".");
            }));
  }

  private static void succeed(String tool, String... arguments) {
    assertThat(ToolProvider.findFirst(tool).orElseThrow().run(System.out, System.err, arguments)).isZero();
  }

  /// Compiles stubs and programs against the ORB alone, unless that was done there.
  ///
  /// @param directory gets the classes in its directory `classes`
  /// @param sources   the directory of the programs
  static void compile(Path directory, Path idl, Path sources) throws Exception {
    Path classes = directory.resolve("classes");
    if (Files.exists(classes)) {
      return;
    }
    Path stubs = Files.createDirectory(directory.resolve("stubs"));
    String compiler = Tree.root().resolve("transports/corba/target/idl-compiler") + "/*";
    Process made =
        new ProcessBuilder(
                executable(), "-cp", compiler, "org.jacorb.idl.parser", "-d", stubs.toString(), idl.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(made.getInputStream().readAllBytes(), UTF_8);
    assertThat(made.waitFor()).as(said).isZero();
    String orb =
        LIBRARIES.stream()
            .map(Path::toString)
            .filter(each -> each.contains("jacorb") || each.contains("slf4j"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> options = new ArrayList<>(List.of("-nowarn", "-d", classes.toString(), "-cp", orb));
    try (Stream<Path> made2 = Files.walk(stubs);
        Stream<Path> written = Files.list(sources)) {
      Stream.concat(made2, written).map(Path::toString).filter(each -> each.endsWith(".java")).forEach(options::add);
    }
    succeed("javac", options.toArray(new String[0]));
  }

  /// Runs a program of those that were compiled there.
  static Process java(Path directory, String main, List<String> properties, List<String> more) throws IOException {
    // Java accepts a cache of the beginning of the class path.
    List<Path> path = Stream.concat(CLASS_PATH.stream(), Stream.of(directory.resolve("classes"))).toList();
    return run(command(CACHE, path, main, properties, more));
  }

  private static Process run(List<String> command) throws IOException {
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static List<String> command(
      List<String> cache, List<Path> path, String main, List<String> properties, List<String> more) {
    List<String> command = new ArrayList<>(List.of(executable(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(cache);
    command.add("-Dtutti.romiop.suspect_after=" + SUSPECT_AFTER.toMillis());
    command.add("-Dtutti.romiop.join_timeout=60000"); // servers that begin at once may meet only after that silence
    Stream.concat(properties.stream(), more.stream())
        .filter(each -> !each.startsWith("#"))
        .forEach(each -> command.add("-D" + each));
    command.add("-Djacorb.orb.print_version=off");
    command.addAll(List.of("-cp", path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator))));
    command.add(main);
    return command;
  }

  /// A server that is a group of its own.
  private static List<String> training() throws IOException {
    List<String> differing =
        List.of(
            "tutti.romiop.members=s1", "tutti.romiop.name=s1", "tutti.romiop.listen=127.0.0.1:0", "OAIAddr=127.0.0.1");
    List<String> properties = Files.readAllLines(EXAMPLE.resolve("server.properties"));
    return command(List.of(), CLASS_PATH, "CounterServer", properties, differing);
  }

  /// What a process shows to Prometheus.
  static String metrics(int port) throws IOException {
    try (InputStream in = URI.create("http://127.0.0.1:" + port + "/metrics").toURL().openStream()) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static String executable() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
