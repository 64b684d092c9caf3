package org.tutti.verify.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.MemberConfig;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.fixture.Tree;

/// The example of `docs/romiop.md` in real processes: three servers and a client, which are compiled without Tutti.
class RomiopTest {
  private static final Path ROMIOP = Tree.root().resolve("transports/romiop");
  private static final Path EXAMPLE = ROMIOP.resolve("example");
  private static final int SERVERS = 3;

  /// Beside other tests a process may get no processor for seconds.
  private static final Duration SUSPECT_AFTER = Duration.ofSeconds(15);

  @TempDir private static Path directory;

  private final List<Process> servers = new ArrayList<>();
  private final List<String> references = new ArrayList<>(); // to each server's own object, over IIOP
  private List<String> addresses = List.of();
  private boolean recoverable;
  private Process client;
  private Writer calls;
  private BufferedReader answers;

  private void start() throws Exception {
    compile();
    addresses = freeAddresses();
    for (int i = 0; i < SERVERS; i++) {
      servers.add(server(i));
    }
    for (Process server : servers) {
      references.add(server.inputReader().readLine());
    }
    awaitAll();
    client = java("CounterClient", "client.properties", List.of());
    calls = client.outputWriter();
    answers = client.inputReader();
  }

  @AfterEach
  void end() throws Exception {
    if (client != null) {
      client.destroyForcibly().waitFor();
    }
    for (Process server : servers) {
      server.destroyForcibly().waitFor();
    }
  }

  @Test
  void theClientNoticesNothingOfTheCrashOfAServer() throws Exception {
    start();
    assertThat(call(group("majority"), "mixed", 100)).isEqualTo("sum 100");
    assertThat(call(group("all~all-equal"), "history", 0)).startsWith("200 calls, ");
    calls.write(group("majority") + " mixed 500\n");
    calls.flush();
    servers.getFirst().destroyForcibly().waitFor(); // the sequencer, while calls are under way
    assertThat(answers.readLine()).isEqualTo("sum 600");
    // Two equal replies are those of both that survive.
    assertThat(call(group("equal2"), "history", 0)).startsWith("1200 calls, ");
  }

  @Test
  void aServerWithAWrongPropertyDoesNotStart() throws Exception {
    compile();
    addresses = freeAddresses();
    for (String wrong :
        List.of(
            "tutti.romiop.suspect_after=5", "tutti.romiop.suspect_after=soon", "jacorb.transport.server.listeners=1")) {
      servers.add(server(0, wrong));
      assertThat(servers.getLast().waitFor()).as(wrong).isEqualTo(1);
    }
  }

  @Test
  void whoComesAgainHasTheStateOfTheOthers() throws Exception {
    recoverable = true;
    start();
    assertThat(call(group("all"), "mixed", 100)).isEqualTo("sum 100");
    servers.getFirst().destroyForcibly().waitFor();
    assertThat(call(group("majority"), "mixed", 100)).isEqualTo("sum 200");
    try (Node watcher = node("watcher", addresses.getLast())) {
      Group group = watcher.observe("counter", MemberConfig.builder().takesState(false).build());
      awaitMember(group, "s1", false);
      servers.set(0, server(0));
      calls.write(group("majority") + " mixed 300\n"); // while it comes
      calls.flush();
      awaitMember(group, "s1", true);
    }
    assertThat(answers.readLine()).isEqualTo("sum 500");
    assertThat(call(group("equal3"), "history", 0)).startsWith("1000 calls, ");
    for (Process server : servers.subList(1, SERVERS)) {
      server.destroyForcibly().waitFor();
    }
    assertThat(call(servers.getFirst().inputReader().readLine(), "history", 0)).startsWith("1000 calls, ");
  }

  @Test
  @Tag("deep")
  void whoMissedARequestLeavesBeforeItAnswers() throws Exception {
    start();
    assertThat(call(group("all"), "add", 1)).isEqualTo("sum 1");
    servers.getFirst().destroyForcibly().waitFor();
    try (Node watcher = node("watcher", addresses.getLast())) {
      Group group = watcher.observe("counter");
      awaitMember(group, "s1", false);
      servers.set(0, server(0));
      awaitMember(group, "s1", true);
      awaitMember(group, "s1", false);
    }
    assertThat(call(group("all~all-equal"), "add", 1)).isEqualTo("sum 2");
  }

  /// With the servers' time of suspicion: one that waits less than their heartbeat would suspect them all the time.
  private static Node node(String name, String contact) {
    return Node.named(name).cluster("demo").contacts(contact).suspectAfter(SUSPECT_AFTER).start();
  }

  /// Servers that begin at once found the group when most of them are there; whoever comes later, and gets no state,
  /// has missed what was called before.
  private void awaitAll() throws InterruptedException {
    try (Node watcher = node("watcher", addresses.getLast())) {
      Group group = watcher.observe("counter", MemberConfig.builder().takesState(false).build());
      awaitView(group, view -> view.primary() && view.voting() == SERVERS);
    }
  }

  /// Whether the member is in the view, from now on.
  private static void awaitMember(Group group, String name, boolean there) throws InterruptedException {
    awaitView(group, view -> view.members().stream().anyMatch(member -> member.name().equals(name)) == there);
  }

  private static void awaitView(Group group, Predicate<View> wanted) throws InterruptedException {
    while (!(group.receive() instanceof Event.ViewChange(View view)) || !wanted.test(view)) {
      // Other events do not matter.
    }
  }

  @Test
  @Tag("deep")
  void outcomesAreSystemExceptionsWithMinorCodes() throws Exception {
    start();
    assertThat(call(group("all~all-equal"), "process", 0)).isEqualTo("INTERNAL 3");
    assertThat(call(group("equal2"), "process", 0)).isEqualTo("NO_RESPONSE 2");
    assertThat(call(group("first~key:s9"), "add", 1)).isEqualTo("NO_RESPONSE 4");
    assertThat(call(group("majority").replace("/Counter", "/Nobody"), "add", 1)).isEqualTo("OBJECT_NOT_EXIST 8");
    for (Process server : servers.subList(1, SERVERS)) {
      server.destroyForcibly().waitFor();
    }
    assertThat(call(group("majority~700ms"), "add", 1)).isIn("TIMEOUT 1", "TRANSIENT 6");
  }

  @Test
  @Tag("deep")
  void theirOwnReferencesStayThoseOfIiop() throws Exception {
    start();
    for (int i = 0; i < SERVERS; i++) {
      assertThat(references.get(i)).startsWith("IOR:").doesNotContainIgnoringCase("54545550");
      assertThat(call(references.get(i), "process", 0)).isEqualTo("process " + servers.get(i).pid());
    }
  }

  @Test
  @Tag("deep")
  void whatIsNoRequestIsRefusedAndHarmsNobody() throws Exception {
    start();
    try (Node stranger = node("stranger", addresses.getFirst())) {
      Group group = stranger.observe("counter", MemberConfig.builder().listener((_, _, _, _) -> {}).build());
      byte[] head = "RMP1\0................????????".getBytes(UTF_8);
      for (String giop :
          List.of("", "GIOP", "GIOP\1\2\0\0\0\0\0\4abcd", "GIOP\1\2\2\0\0\0\0\0", "GIOP\1\2\0\7\0\0\0\0")) {
        byte[] tail = giop.getBytes(UTF_8);
        byte[] all = java.util.Arrays.copyOf(head, head.length - 1 + tail.length);
        System.arraycopy(tail, 0, all, head.length - 1, tail.length);
        group.multicast(all).get();
      }
    }
    assertThat(call(group("all"), "add", 5)).isEqualTo("sum 5");
    assertThat(call(group("all~all-equal"), "history", 0)).startsWith("1 calls, ");
  }

  /// A call that is to be answered has a minute for that, as a first one may take long on a busy machine.
  private String group(String rule) {
    String timed = rule.endsWith("ms") ? rule : rule + "~60000ms";
    return "corbaloc:tutti:1.0@demo!counter!" + String.join("+", addresses) + "!" + timed + "/Counter";
  }

  private String call(String reference, String operation, int argument) throws IOException {
    calls.write(reference + " " + operation + " " + argument + "\n");
    calls.flush();
    return answers.readLine();
  }

  /// Against the ORB alone.
  private static void compile() throws Exception {
    Path classes = directory.resolve("classes");
    if (Files.exists(classes)) {
      return;
    }
    Path stubs = Files.createDirectory(directory.resolve("stubs"));
    String compiler = Tree.root().resolve("transports/corba/target/idl-compiler") + "/*";
    String idl = EXAMPLE.resolve("counter.idl").toString();
    Process made =
        new ProcessBuilder(executable(), "-cp", compiler, "org.jacorb.idl.parser", "-d", stubs.toString(), idl)
            .redirectErrorStream(true)
            .start();
    String said = new String(made.getInputStream().readAllBytes(), UTF_8);
    assertThat(made.waitFor()).as(said).isZero();
    String orb =
        Stream.of(System.getProperty("java.class.path").split(":"))
            .filter(each -> each.contains("jacorb") || each.contains("slf4j"))
            .collect(Collectors.joining(":"));
    List<String> options = new ArrayList<>(List.of("-nowarn", "-d", classes.toString(), "-cp", orb));
    try (Stream<Path> made2 = Files.walk(stubs);
        Stream<Path> written = Files.list(EXAMPLE)) {
      Stream.concat(made2, written).map(Path::toString).filter(each -> each.endsWith(".java")).forEach(options::add);
    }
    assertThat(
            ToolProvider.findFirst("javac").orElseThrow().run(System.out, System.err, options.toArray(new String[0])))
        .isZero();
  }

  private Process server(int index, String... more) throws IOException {
    var differing = new ArrayList<>(List.of(more));
    differing.addAll(
        List.of(
            "tutti.romiop.contacts=" + String.join(",", addresses),
            "tutti.romiop.name=s" + (index + 1),
            "tutti.romiop.listen=" + addresses.get(index),
            "tutti.romiop.recoverable=" + recoverable,
            "OAIAddr=127.0.0.1"));
    return java("CounterServer", "server.properties", differing);
  }

  private static Process java(String main, String properties, List<String> more) throws IOException {
    List<String> command = new ArrayList<>(List.of(executable(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.add("-Dtutti.romiop.suspect_after=" + SUSPECT_AFTER.toMillis());
    command.add("-Dtutti.romiop.join_timeout=60000"); // servers that begin at once may meet only after that silence
    Stream.concat(Files.readAllLines(EXAMPLE.resolve(properties)).stream(), more.stream())
        .filter(each -> !each.startsWith("#"))
        .forEach(each -> command.add("-D" + each));
    command.add("-Djacorb.orb.print_version=off");
    command.addAll(List.of("-cp", directory.resolve("classes") + ":" + System.getProperty("java.class.path"), main));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }

  private static String executable() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static List<String> freeAddresses() throws IOException {
    List<String> free = new ArrayList<>();
    List<ServerSocket> held = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      free.add("127.0.0.1:" + held.get(i).getLocalPort());
    }
    for (ServerSocket each : held) {
      each.close();
    }
    return free;
  }
}
