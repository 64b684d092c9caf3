package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Durability;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.certs.Authority;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.store.FileStorage;
import org.tutti.transport.Profile;
import org.tutti.transport.TransportProvider;

/// `tutti doctor` finds what is wrong, and a group does not notice it.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DoctorCommandTest {
  /// Longer than a slow machine takes to be answered; who is answered does not wait.
  private static final String LONG = "--timeout=40s";

  private static final String PATH = "ok   path 127.0.0.1: loopback, MTU 65536"; // once for each host
  private static final Duration WAIT = Duration.ofSeconds(60);
  private static final Duration DAY = Duration.ofDays(1);

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  @TempDir Path directory;

  private final List<Node> nodes = new ArrayList<>();

  @AfterEach
  void close() {
    nodes.forEach(Node::close);
  }

  private Node node(String name, Node... contacts) {
    String[] at = Stream.of(contacts).map(DoctorCommandTest::address).toArray(String[]::new);
    // A machine that stops for a second changes no view.
    nodes.add(Node.named(name).listen("127.0.0.1:0").contacts(at).profile(Profile.WAN).start());
    return nodes.getLast();
  }

  private static String address(Node node) {
    return node.self().address().text();
  }

  private CommandProcess doctor(String... more) throws Exception {
    return doctor(List.of(), more);
  }

  private CommandProcess doctor(List<String> java, String... more) throws Exception {
    return tutti.run(java, Stream.concat(Stream.of("doctor", "--group=bank"), Stream.of(more)).toArray(String[]::new));
  }

  /// What it says of all but Java.
  private static List<String> lines(CommandProcess doctor) throws Exception {
    List<String> lines = doctor.rest();
    assertThat(lines).first().asString().startsWith("ok   java 25");
    return lines.subList(1, lines.size());
  }

  private static void fails(CommandProcess doctor, String... lines) throws Exception {
    assertThat(lines(doctor)).containsExactly(lines);
    assertThat(doctor.exitCode()).isEqualTo(1);
    long failed = Stream.of(lines).filter(line -> line.startsWith("FAIL ")).count();
    assertThat(doctor.errors())
        .containsExactly("tutti doctor: " + failed + " of " + (lines.length + 1) + " checks failed");
  }

  private static void passes(CommandProcess doctor, String... lines) throws Exception {
    assertThat(lines(doctor)).containsExactly(lines);
    assertThat(doctor.exitCode()).isZero();
    assertThat(doctor.errors()).isEmpty();
  }

  /// Takes events up to the view of two members.
  private static View viewOfTwo(Group group) throws Exception {
    while (true) {
      if (group.receive(WAIT) instanceof Event.ViewChange(View view) && view.size() == 2) {
        return view;
      }
    }
  }

  /// Any member may be asked, though only the most senior one answers; what the group does next comes in the same view.
  @Test
  void aGroupAnswersAndDoesNotChange() throws Exception {
    Node n1 = node("n1");
    Node n2 = node("n2", n1);
    Group first = n1.create("bank", GroupConfig.standard());
    Group second = n2.join("bank");
    View view = viewOfTwo(first);
    assertThat(viewOfTwo(second)).isEqualTo(view);
    CommandProcess doctor = doctor("--join=" + address(n1) + "," + address(n2), "--listen=127.0.0.1:0", LONG);
    doctor.exitCode();
    first.multicast("after".getBytes(StandardCharsets.UTF_8));
    for (Group group : List.of(first, second)) {
      Event event = group.receive(WAIT);
      while (event instanceof Event.CaughtUp) {
        event = group.receive(WAIT);
      }
      assertThat(event).isInstanceOf(Event.Delivery.class);
      assertThat(group.status().view()).isEqualTo(view);
    }
    passes(
        doctor,
        "ok   address 127.0.0.1:0: is free; processes of this host reach it (loopback)",
        "ok   contact " + address(n1) + ": it is in group \"bank\"",
        "ok   contact " + address(n2) + ": it is in group \"bank\"",
        PATH);
  }

  /// Whatever a group is like: nobody has to be able to take part in it to be told that it is there.
  @Test
  @Tag("deep")
  void aDurableGroupAnswersByEveryTransport() throws Exception {
    GroupConfig durable = GroupConfig.builder().durability(Durability.EACH).build();
    Map<String, CommandProcess> doctors = new TreeMap<>();
    for (String transport : TransportProvider.installed().keySet()) {
      Path data = directory.resolve(transport);
      nodes.add(Node.named("n1").transport(transport).listen("127.0.0.1:0").data(data).start());
      Group group = nodes.getLast().create("bank", durable);
      group.awaitServing(WAIT);
      String at = address(nodes.getLast());
      doctors.put(at, doctor("--transport=" + transport, "--join=" + at, LONG));
    }
    assertThat(doctors).hasSizeGreaterThan(3);
    for (Map.Entry<String, CommandProcess> doctor : doctors.entrySet()) {
      List<String> lines = lines(doctor.getValue());
      String line = lines.stream().filter(one -> one.contains(" contact ")).findFirst().orElse("");
      assertThat(lines)
          .filteredOn(one -> one.contains(" path "))
          .allMatch(one -> one.matches("ok   path 127.0.0.1: (loopback, MTU 65536|datagrams of \\d+ bytes pass)"));
      assertThat(line).startsWith("ok   contact " + doctor.getKey() + ": it is in group \"bank\"");
      assertThat(doctor.getValue().exitCode()).isZero();
    }
  }

  @Test
  void contactsThatDoNotAnswerAreTold() throws Exception {
    Node node = node("n1");
    String at = address(node);
    String port = at.substring(at.lastIndexOf(':'));
    String closed = LoopbackPorts.address();
    fails(
        doctor("--join=" + closed + ",nobody.invalid:1," + at + ",dns:127.0.0.1" + port, "--listen=" + at, LONG),
        "warn address "
            + at
            + ": cannot listen on "
            + at
            + ": address already in use; right if the member runs, else"
            + " choose another port",
        "FAIL contact "
            + closed
            + ": nothing listens there (Connection refused); start that member, or correct the"
            + " address",
        "FAIL contact nobody.invalid:1: unknown host 'nobody.invalid'",
        "ok   contact " + at + ": it is this member itself, which is not asked",
        "ok   contact dns:127.0.0.1" + port + ": at " + at + ", it is this member itself, which is not asked",
        PATH);
  }

  @Test
  @Tag("deep")
  void aNodeThatIsNotInTheGroupIsAWarning() throws Exception {
    Node node = node("n1");
    node.create("other", GroupConfig.standard());
    List<String> lines = lines(doctor("--join=" + address(node), "--timeout=10s"));
    assertThat(lines.getLast()).isEqualTo(PATH);
    assertThat(lines.subList(0, lines.size() - 1))
        .singleElement()
        .asString()
        .startsWith(
            "warn contact " + address(node) + ": a node answers, and nothing comes of group \"bank\" (waited 10 s)");
  }

  @Test
  @Tag("deep")
  void anotherClusterIsTold() throws Exception {
    Node node = node("n1");
    fails(
        doctor("--join=" + address(node), "--cluster=prod", LONG),
        "FAIL contact "
            + address(node)
            + ": it is of cluster \"tutti\", this node of \"prod\"; correct --join, or give"
            + " --cluster (and a certificate for it) as there",
        PATH);
  }

  @Test
  void certificatesAreLookedAtAndTried() throws Exception {
    Authority authority = Authority.in(directory.resolve("ca"));
    Path good = authority.issue("n1", "tutti", Duration.ofDays(100));
    Path short10 = authority.issue("n2", "tutti", Duration.ofDays(10));
    Instant now = Instant.now();
    Path expired = authority.issue("n3", "tutti", now.minus(DAY.multipliedBy(2)), now.minus(DAY));
    Path other = Authority.in(directory.resolve("other")).issue("n4", "tutti", Duration.ofDays(100));
    Path watching = authority.issue("o1", "tutti", List.of("observer"), Duration.ofDays(100));
    nodes.add(Node.named("n1").listen("127.0.0.1:0").tls(good).start());
    nodes.getFirst().create("bank", GroupConfig.standard()).awaitServing(WAIT);
    String at = address(nodes.getFirst());
    String in = ": it is in group \"bank\"";

    Path open = short10.resolve("key.pem");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
    String[] join = {"--join=" + at, LONG};
    CommandProcess healthy = doctor(join[0], join[1], "--tls=" + good);
    CommandProcess soon = doctor(join[0], join[1], "--tls=" + short10);
    CommandProcess late = doctor(join[0], join[1], "--tls=" + expired);
    CommandProcess wrong = doctor(join[0], join[1], "--tls=" + other);
    CommandProcess observer = doctor(join[0], join[1], "--tls=" + watching);
    CommandProcess none = doctor(join[0], join[1]);
    assertThat(lines(observer))
        .satisfiesExactly(
            line -> assertThat(line).matches("warn tls \\S+: the certificate is for observers only; right for .*"),
            line -> assertThat(line).startsWith("ok   tls "),
            line -> assertThat(line).isEqualTo("ok   contact " + at + in),
            line -> assertThat(line).isEqualTo(PATH));
    assertThat(lines(healthy))
        .satisfiesExactly(
            line -> assertThat(line).matches("ok {3}tls \\S+: CN=n1 is valid from .*, 99 days more, for cluster tutti"),
            line -> assertThat(line).isEqualTo("ok   contact " + at + in),
            line -> assertThat(line).isEqualTo(PATH));
    assertThat(healthy.exitCode()).isZero();
    assertThat(lines(soon))
        .satisfiesExactly(
            line -> assertThat(line).endsWith("other users may use the key in %1$s; chmod 600 %1$s".formatted(open)),
            line -> assertThat(line).matches("warn tls \\S+: CN=n2 is valid from .* 9 days more; renew it in time"),
            line -> assertThat(line).isEqualTo("ok   contact " + at + in),
            line -> assertThat(line).isEqualTo(PATH));
    assertThat(soon.exitCode()).isZero();
    assertThat(lines(late))
        .satisfiesExactly(
            line -> assertThat(line).matches("FAIL tls \\S+: the certificate was valid until .*; renew it, .*"),
            line -> assertThat(line).matches("FAIL contact " + at + ": .*certificate.*; renew the certificate of .*"),
            line -> assertThat(line).isEqualTo(PATH));
    assertThat(late.exitCode()).isEqualTo(1);
    assertThat(lines(wrong))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("ok   tls "),
            line -> assertThat(line).startsWith("FAIL contact " + at + ": its certificate is refused here: "),
            line -> assertThat(line).isEqualTo(PATH));
    fails(none, "FAIL contact " + at + ": it speaks TLS, this node does not; give --tls DIR", PATH);
  }

  @Test
  @Tag("deep")
  void filesThatDoNotBelongTogetherAreFound() throws Exception {
    Authority authority = Authority.in(directory.resolve("ca"));
    Path one = authority.issue("n1", "tutti", DAY);
    Path two = authority.issue("n2", "tutti", DAY);
    Path other = Authority.in(directory.resolve("other")).issue("n3", "tutti", Duration.ofDays(100));
    Files.delete(one.resolve("key.pem"));
    Files.copy(two.resolve("key.pem"), one.resolve("key.pem"));
    String advice = "; make one: tutti certs";
    String words = one.resolve("key.pem") + " is not the key of " + one.resolve("cert.pem") + advice;
    fails(doctor("--tls=" + one), "FAIL tls " + one + ": " + words);
    Files.delete(one.resolve("ca.pem"));
    fails(doctor("--tls=" + one), "FAIL tls " + one + ": no file " + one.resolve("ca.pem") + advice);
    // Of another authority than the one that it is to be believed by.
    Files.delete(two.resolve("ca.pem"));
    Files.copy(other.resolve("ca.pem"), two.resolve("ca.pem"));
    assertThat(lines(doctor("--tls=" + two)))
        .singleElement()
        .asString()
        .startsWith("FAIL tls " + two + ": the certificate is not believed by its own ca.pem: ");
    fails(
        doctor("--tls=" + other, "--cluster=prod"),
        "FAIL tls " + other + ": the certificate in " + other + " is for cluster tutti, not for prod" + advice);
  }

  @Test
  @Tag("deep")
  void anAddressThatIsNotOfThisHostIsTold() throws Exception {
    fails(
        doctor("--listen=192.0.2.1:7001"),
        "FAIL address 192.0.2.1:7001: cannot listen on 192.0.2.1:7001: without certificates on loopback only; give"
            + " --tls DIR (tutti certs makes one), or --insecure where only members can reach it");
    List<String> foreign = lines(doctor("--listen=192.0.2.1:7001", "--insecure"));
    assertThat(foreign).singleElement().asString().startsWith("FAIL address 192.0.2.1:7001: cannot listen on 192.0.2.");
    fails(
        doctor("--listen=0.0.0.0:7001", "--insecure"),
        "FAIL address 0.0.0.0:7001: members cannot be reached there; give --advertise HOST:PORT, an address of this"
            + " host");
  }

  @Test
  void storageIsReadAndNotTouched() throws Exception {
    Path data = directory.resolve("data");
    String in = "(ok  |FAIL|warn) data " + data + ": ";
    String free = "; [\\d,.]+ MiB free";
    assertThat(lines(doctor("--data=" + data)))
        .singleElement()
        .asString()
        .matches(in + "the member will make it" + free);
    assertThat(data).doesNotExist();
    try (var storage = FileStorage.open(data)) {
      storage.region("bank").append(0, new byte[] {1});
      storage.commit(true);
      assertThat(lines(doctor("--data=" + data)))
          .singleElement()
          .asString()
          .matches(in + "in use by a process that runs" + free);
    }
    Map<Path, String> before = files(data);
    assertThat(lines(doctor("--data=" + data)))
        .singleElement()
        .asString()
        .matches(in + "a stored history, all of which can be read" + free);
    assertThat(files(data)).isEqualTo(before);
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    String words = "other users may use stable storage %1$s: its permissions are rwxr-xr-x; chmod 700 %1$s";
    fails(doctor("--data=" + data), "FAIL data " + data + ": " + words.formatted(data));
  }

  private static Map<Path, String> files(Path directory) throws Exception {
    var all = new TreeMap<Path, String>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        all.put(file, Base64.getEncoder().encodeToString(Files.readAllBytes(file)));
      }
    }
    return all;
  }

  @Test
  @Tag("deep")
  void keysOfUdpAreLookedAtAndTried() throws Exception {
    Path key = directory.resolve("key");
    Files.writeString(key, "11".repeat(32));
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
    List<String> java = List.of("-Dtutti.udp.key=" + key, "-Dtutti.udp.multicast=239.192.0.7:7400@nosuch0");
    nodes.add(Node.named("n1").transport("udp").listen("127.0.0.1:0").start());
    nodes.getFirst().create("bank", GroupConfig.standard()).awaitServing(WAIT);
    String at = address(nodes.getFirst());
    List<String> lines = lines(doctor(java, "--transport=udp", "--join=" + at, LONG));
    assertThat(lines)
        .contains(
            "ok   udp " + key + ": keys in force: 1",
            "warn udp %1$s: other users may use the key in %1$s; chmod 600 %1$s".formatted(key),
            "FAIL multicast 239.192.0.7:7400@nosuch0: there is no interface nosuch0; ip link shows those there are",
            "FAIL contact " + at + ": cannot multicast on nosuch0: there is no such interface");
    assertThat(lines(doctor(java.subList(0, 1), "--transport=udp", "--join=" + at, LONG)))
        .contains(
            "FAIL contact "
                + at
                + ": it has no key, and this node encrypts; start all members with the same keys"
                + " (-Dtutti.udp.key=FILE)");
    List<String> plain = lines(doctor("--transport=udp", "--join=" + at, LONG));
    assertThat(plain).contains("ok   contact " + at + ": it is in group \"bank\"");
    assertThat(plain)
        .filteredOn(line -> line.contains(" path ")) // there is none if the group was faster
        .allMatch(line -> line.matches("ok   path 127.0.0.1: datagrams of \\d+ bytes pass"));
  }

  @Test
  void aFileSaysWhatIsCheckedAndProgramsReadIt() throws Exception {
    String closed = LoopbackPorts.address();
    Path file = directory.resolve("conf");
    String member = "[member]\nname = n1\ncreate = true\njson = true\ntimeout = 1m\nlisten = 127.0.0.1:0\n";
    Files.writeString(file, "group = bank\njoin = 127.0.0.1:1\n" + member + "[doctor]\njoin = " + closed + "\n");
    List<String> print = TuttiCommand.of(List.of(), "doctor", "--config=" + file, "--print-config");
    assertThat(tutti.start(print).rest()) // without the variables that tests give others
        .contains("listen = 127.0.0.1:0  # " + file + ":8", "join = " + closed + "  # " + file + ":10")
        .contains("transport = tcp  # default", "timeout = 5s  # default")
        .noneMatch(line -> line.startsWith("json"));
    CommandProcess doctor = tutti.run("doctor", "--config=" + file, "--json");
    List<String> lines = doctor.rest();
    assertThat(JSON.std.mapFrom(lines.getFirst())).containsEntry("check", "java").containsEntry("result", "ok");
    assertThat(JSON.std.mapFrom(lines.getLast())).containsEntry("check", "path").containsEntry("of", "127.0.0.1");
    assertThat(JSON.std.mapFrom(lines.get(2)))
        .isEqualTo(
            Map.of(
                "event",
                "check",
                "check",
                "contact",
                "of",
                closed,
                "result",
                "fail",
                "words",
                "nothing listens there (Connection refused)",
                "advice",
                "start that member, or correct the address"));
    assertThat(lines).hasSize(4);
    assertThat(doctor.exitCode()).isEqualTo(1);
  }

  /// A member that runs, and where it answers.
  private String member(String... more) throws Exception {
    String[] first = {"member", "--group=bank", "--create", "--name=n1", "--listen=127.0.0.1:0"};
    CommandProcess member = tutti.run(Stream.of(first, more).flatMap(Stream::of).toArray(String[]::new));
    String health = member.lineMatching("health at .*").replaceFirst(".* at ", "");
    member.lineMatching("view \\S+ primary: n1");
    return health.replace("0.0.0.0", "127.0.0.1");
  }

  @Test
  void buildsAndClocksOfMembersAreCompared() throws Exception {
    Path own = Authority.in(directory.resolve("ca")).issue("n1", "tutti", Duration.ofDays(100));
    String plain = member("--health=127.0.0.1:0");
    String secured = member("--health=0.0.0.0:0", "--tls=" + own);
    String closed = LoopbackPorts.address();
    CommandProcess doctor = doctor("--tls=" + own, "--ask=" + plain + "," + secured + "," + closed, LONG);
    List<String> lines = lines(doctor);
    assertThat(lines).hasSize(8);
    assertThat(lines.getFirst()).startsWith("ok   tls ");
    for (int i = 0; i < 2; i++) {
      String at = List.of(plain, secured).get(i);
      List<String> its = lines.subList(1 + 3 * i, 4 + 3 * i);
      assertThat(its.getFirst()).matches("ok   member " + at + ": group bank: primary view \\S+ of n1 at position 0");
      assertThat(its.get(1)).matches("ok   build " + at + ": runs \\S+, as this command");
      assertThat(its.getLast())
          .matches("ok   clock " + at + ": \\d+ ms (behind|ahead of) that of this host \\(\u00b1 \\d+ ms\\)");
      Matcher numbers = Pattern.compile("\\d+(?= ms)").matcher(its.getLast());
      List<Integer> clock = numbers.results().map(one -> Integer.parseInt(one.group())).toList();
      assertThat(clock.getFirst()).as("it is the same clock").isLessThanOrEqualTo(clock.getLast());
    }
    assertThat(lines.getLast()).startsWith("FAIL member " + closed + ": nobody listens at " + closed);
    assertThat(doctor.exitCode()).isEqualTo(1);
  }

  /// What answers instead of a member says the time of another hour.
  @Test
  void anotherBuildAndAnotherTimeAreWarnings() throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    try {
      server.createContext(
          "/status",
          exchange -> {
            Instant time = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);
            String words = "{\"group\":\"other\",\"words\":\"it waits\",\"build\":\"9.9\",\"time\":\"" + time + "\"}";
            byte[] body = words.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      server.start();
      String at = "127.0.0.1:" + server.getAddress().getPort();
      CommandProcess doctor = doctor("--ask=" + at, LONG);
      assertThat(lines(doctor))
          .satisfiesExactly(
              line ->
                  assertThat(line)
                      .isEqualTo("warn member " + at + ": it waits; it is in another group: correct --ask, or --group"),
              line -> assertThat(line).matches("warn build " + at + ": runs 9.9, this command is \\S+; right while .*"),
              line ->
                  assertThat(line).matches("warn clock " + at + ": 3(599|600)\\d{3} ms behind .*; set the clocks .*"));
      assertThat(doctor.exitCode()).isZero();
    } finally {
      server.stop(0);
    }
  }

  /// Somebody who accepts and says nothing: a check ends with the timeout, and before when it is interrupted.
  @Test
  void whoeverIsSilentHoldsNobodyUp() throws Exception {
    try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String at = "127.0.0.1:" + silent.getLocalPort();
      fails(
          doctor("--join=" + at, "--timeout=3s"),
          "FAIL contact "
              + at
              + ": no node answers (waited 3 s); start that member, or look for a wrong address,"
              + " another --transport, or a firewall between",
          PATH);
      CommandProcess interrupted = doctor("--join=" + at, "--timeout=10m");
      assertThat(interrupted.line()).startsWith("ok   java ");
      interrupted.signal("INT");
      assertThat(interrupted.exitCode()).isEqualTo(130);
    }
  }
}
