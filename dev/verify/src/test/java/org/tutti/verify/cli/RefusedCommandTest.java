package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.certs.Authority;
import org.tutti.transport.TransportProvider;

/// Commands that are not taken in say why, in one line.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RefusedCommandTest {
  /// As long as it may take until a slow machine has made an attempt.
  private static final String WAIT = "8s";

  private static final Duration SUSPECT_AFTER = Duration.ofSeconds(15); // as processes of the tests do
  private static final Duration AWAIT = Duration.ofSeconds(60);

  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  @TempDir Path directory;

  private final List<Node> founders = new ArrayList<>();

  @AfterEach
  void close() {
    founders.forEach(Node::close);
  }

  /// A member in this process.
  private String founder(UnaryOperator<NodeBuilder> settings) throws Exception {
    Node node = settings.apply(Node.named("n1").listen("127.0.0.1:0").suspectAfter(SUSPECT_AFTER)).start();
    founders.add(node);
    node.create("bank", GroupConfig.standard()).awaitServing(AWAIT);
    return node.self().address().text();
  }

  private void fails(CommandProcess process, String line) throws InterruptedException {
    assertThat(process.exitCode()).isEqualTo(1);
    assertThat(process.errors()).last().isEqualTo(line);
  }

  @Test
  void whoIsOfAnotherClusterIsToldWhichOneItHasFound() throws Exception {
    String contact = founder(node -> node.cluster("prod"));
    CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", contact, "--timeout", WAIT);
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", contact + ",127.0.0.1:1", "--timeout", WAIT);
    send.endInput();
    String reason = "refused by " + contact + ": it is of cluster \"prod\", this node of \"tutti\"";
    fails(watch, "tutti watch: " + reason + " (waited 8 s)");
    fails(send, "tutti send: " + reason + "; nobody else answers at " + contact + ", 127.0.0.1:1 (waited 8 s)");
  }

  @Test
  void whoseNameIsInUseIsToldByWhom() throws Exception {
    String contact = founder(node -> node);
    CommandProcess second = tutti.run("watch", "--group", "bank", "--join", contact, "--name", "n1");
    fails(
        second, "tutti watch: refused by group \"bank\": the name n1 is in use by n1@" + contact + ", which is heard");
  }

  @Test
  void whoSaysOfTheGroupWhatIsNotSoIsToldHowItIs() throws Exception {
    String contact = founder(node -> node);
    String[] here = {"member", "--group=bank", "--listen=127.0.0.1:0", "--name=n2", "--join", contact};
    CommandProcess other = tutti.run(here[0], here[1], here[2], here[3], here[4], here[5], "--order=skeen");
    String words = "ordering is SEQUENCER in group bank, SKEEN was asked for";
    fails(other, "tutti member: refused by group \"bank\": " + words);
    String data = "--data=" + directory.resolve("n2");
    CommandProcess keeping = tutti.run(here[0], here[1], here[2], here[3], here[4], here[5], data);
    fails(keeping, "tutti member: group \"bank\" keeps nothing: leave out --data");
  }

  @Test
  @Tag("deep")
  void whoDoesNotHaveTheKeyOfUdpIsToldSo() throws Exception {
    String[] founder = {"member", "--group=bank", "--listen=127.0.0.1:0", "--name=n1", "--create", "--transport=udp"};
    CommandProcess member = tutti.run(key("one", "11"), founder);
    String contact = member.address();
    member.lineMatching("view \\S+ primary: n1");
    String[] args = {"watch", "--group", "bank", "--join", contact, "--transport", "udp", "--timeout", WAIT};
    CommandProcess other = tutti.run(key("two", "22"), args);
    CommandProcess none = tutti.run(args);
    String refused = "tutti watch: refused by " + contact + ": ";
    fails(other, refused + "it does not have the key with which this node encrypts (waited 8 s)");
    fails(none, refused + "it accepts only encrypted datagrams, this node has no key (waited 8 s)");
  }

  @Test
  @Tag("deep")
  void whoSpeaksTlsToAMemberThatDoesNotIsToldSo() throws Exception {
    String own = Authority.in(directory).issue("n", "tutti", Duration.ofDays(1)).toString();
    String contact = founder(node -> node);
    CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", contact, "--timeout", WAIT, "--tls", own);
    fails(watch, "tutti watch: refused by " + contact + ": it does not speak TLS, this node does (waited 8 s)");
  }

  @Test
  void whoMeetsAnotherVersionIsToldWhich() throws Exception {
    byte[] greeting = {'T', 'u', 't', 't', 9, 1, 1, 'a', 'b'}; // as a node of version 9 may begin
    try (var newer = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Thread.startVirtualThread(() -> greet(newer, greeting));
      String at = "127.0.0.1:" + newer.getLocalPort();
      CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", at, "--timeout", WAIT);
      String words = "it speaks version 9 of the protocol, this node version 1";
      fails(watch, "tutti watch: refused by " + at + ": " + words + " (waited 8 s)");
    }
  }

  /// Says the same to everybody until the port is closed.
  private static void greet(ServerSocket port, byte[] words) {
    while (!port.isClosed()) {
      try (Socket one = port.accept()) {
        one.getOutputStream().write(words);
        one.shutdownOutput();
        one.getInputStream().skipNBytes(Long.MAX_VALUE); // until it hangs up: closed with bytes unread, words are lost
      } catch (IOException _) {
        // It has hung up, or the test is over.
      }
    }
  }

  @Test
  @Tag("deep")
  void whoHasNoCertificateThatIsBelievedIsToldSo() throws Exception {
    strangersAreRefused(List.of("tcp"));
  }

  @Test
  @Tag("deep")
  void whoHasNoCertificateThatIsBelievedIsToldSoByMiddlewares() throws Exception {
    var transports = new ArrayList<>(List.of("rmi", "grpc", "iiop"));
    transports.retainAll(TransportProvider.installed().keySet()); // some builds have no ORB
    strangersAreRefused(transports);
  }

  private void strangersAreRefused(List<String> transports) throws Exception {
    Duration day = Duration.ofDays(1);
    Path own = Authority.in(directory.resolve("ca")).issue("n", "tutti", day);
    String other = Authority.in(directory.resolve("other")).issue("n", "tutti", day).toString();
    var contacts = new ArrayList<String>();
    var strangers = new ArrayList<CommandProcess>();
    for (String transport : transports) {
      contacts.add(founder(node -> node.transport(transport).tls(own)));
    }
    for (String transport : transports) {
      String contact = contacts.get(strangers.size());
      String[] args = {"watch", "--group", "bank", "--join", contact, "--transport", transport, "--timeout", "20s"};
      strangers.add(tutti.run(Stream.concat(Stream.of(args), Stream.of("--tls", other)).toArray(String[]::new)));
    }
    for (int i = 0; i < strangers.size(); i++) {
      fails(
          strangers.get(i),
          "tutti watch: refused by "
              + contacts.get(i)
              + ": its certificate is refused here: unable to find valid certification path to requested target"
              + " (waited 20 s)");
    }
  }

  private List<String> key(String name, String digits) throws IOException {
    Path file = directory.resolve(name);
    Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, digits.repeat(32));
    return List.of("-Dtutti.udp.key=" + file);
  }

  @Test
  void aVersionBelowAllThatTheNodeSpeaksIsNamedByItsOption() throws Exception {
    CommandProcess member =
        tutti.run("member", "--group=bank", "--create", "--listen=127.0.0.1:0", "--group-version-max=3");
    fails(member, "tutti member: --group-version-max is 3, but this node speaks version 5 of the protocol");
  }
}
