package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.certs.Authority;
import org.tutti.fixture.LoopbackPorts;

/// `tutti certs` and `--tls` as processes.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TlsCommandTest {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  @TempDir Path directory;

  /// As `tutti certs` makes it, which is a process.
  private Path command(String name, String... more) throws Exception {
    var args = new ArrayList<>(List.of("certs", "--dir", directory.toString(), name));
    args.addAll(List.of(more));
    CommandProcess certs = tutti.run(args.toArray(String[]::new));
    assertThat(certs.exitCode()).isZero();
    assertThat(certs.rest()).containsExactly(directory.resolve(name).toString());
    return directory.resolve(name);
  }

  /// The same without a process.
  private Path certificate(String name) throws IOException {
    return Authority.in(directory).issue(name, "tutti", Duration.ofDays(1));
  }

  private CommandProcess member(String name, String... more) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--listen", "127.0.0.1:0", "--name", name));
    args.addAll(List.of(more));
    return tutti.run(args.toArray(String[]::new));
  }

  @Test
  void membersWithCertificatesMeetAndOthersStayOut() throws Exception {
    String one = command("n1").toString();
    String two = command("n2").toString();
    CommandProcess first = member("n1", "--create", "--tls", one);
    String contact = first.address();
    member("n2", "--join", contact, "--tls", two).lineMatching("view \\S+ primary: n1 n2");
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", contact, "--name", "s", "--tls", two);
    send.type("hello");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    first.lineMatching("0 s: hello");
    CommandProcess plain = member("n3", "--join", contact, "--timeout", "8s");
    assertThat(plain.exitCode()).isEqualTo(1);
    assertThat(plain.errors())
        .containsExactly("tutti member: refused by " + contact + ": it speaks TLS, this node does not (waited 8 s)");
  }

  @Test
  @Tag("deep")
  void membersMeetAtARegistryWithTls() throws Exception {
    String own = certificate("n1").toString();
    String line = tutti.run("registry", "--listen", "127.0.0.1:0", "--expect", "2", "--tls", own).line();
    assertThat(line).startsWith("registry listens on 127.0.0.1:");
    String at = line.replaceFirst(".* on ", "");
    CommandProcess first = member("n1", "--join", "registry:" + at, "--tls", own, "--timeout", "60s");
    CommandProcess second = member("n2", "--join", "registry:" + at, "--tls", own, "--timeout", "60s");
    first.lineMatching("view \\S+ primary:( n1| n2){2}");
    second.lineMatching("view \\S+ primary:( n1| n2){2}");
  }

  @Test
  @Tag("deep")
  void whoIsNoneOfThoseOfARegistryIsToldWhy() throws Exception {
    String own = certificate("n1").toString();
    String other = Authority.in(directory.resolve("other")).issue("n3", "tutti", Duration.ofDays(1)).toString();
    CommandProcess sealed = tutti.run("registry", "--listen", "127.0.0.1:0", "--expect", "2", "--tls", own);
    CommandProcess open = tutti.run("registry", "--listen", "127.0.0.1:0", "--expect", "2");
    String at = "registry:" + sealed.line().replaceFirst(".* on ", "");
    String there = "registry:" + open.line().replaceFirst(".* on ", "");
    // The last word is that of the last attempt: a slow machine may have made none before.
    CommandProcess plain = member("n3", "--join", at, "--timeout", "8s");
    CommandProcess wrong = member("n3", "--join", at, "--timeout", "8s", "--tls", other);
    CommandProcess alone = member("n3", "--join", there, "--timeout", "8s", "--tls", other);
    CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", at, "--timeout", "8s");
    String refused = "its certificate is refused here: unable to find valid certification path to requested target";
    fails(plain, "tutti member: " + at + ": it speaks TLS, this node does not (waited 8 s)");
    fails(wrong, "tutti member: " + at + ": " + refused + " (waited 8 s)");
    fails(alone, "tutti member: " + there + ": it does not speak TLS, this node does (waited 8 s)");
    String nobody = "nobody answers at " + at + " (" + at + ": it speaks TLS, this node does not) (waited 8 s)";
    fails(watch, "tutti watch: " + nobody);
  }

  @Test
  void whoListensOnAllInterfacesIsReachedWhereItSays() throws Exception {
    CommandProcess first = everywhere("n1", "--create");
    String contact = first.address();
    assertThat(contact).startsWith("127.0.0.1:");
    CommandProcess second = everywhere("n2", "--join", contact);
    second.lineMatching("view \\S+ primary: n1 n2");
    first.lineMatching("view \\S+ primary: n1 n2");
  }

  /// Other members are told of loopback.
  private CommandProcess everywhere(String name, String... more) throws Exception {
    int port = LoopbackPorts.free();
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--name", name, "--listen", "0.0.0.0:" + port));
    args.addAll(List.of("--advertise", "127.0.0.1:" + port, "--tls", certificate(name).toString()));
    args.addAll(List.of(more));
    return tutti.run(args.toArray(String[]::new));
  }

  private static void fails(CommandProcess process, String line) throws InterruptedException {
    assertThat(process.exitCode()).isEqualTo(1);
    assertThat(process.errors()).last().isEqualTo(line);
  }

  @Test
  void whatCannotBeProtectedIsSaidInOneLine() throws Exception {
    Refusal open = Refusal.of("member", "--group", "g", "--listen", "192.0.2.1:7001", "--create");
    assertThat(open.exitCode()).isEqualTo(1);
    assertThat(open.errors())
        .containsExactly(
            "tutti member: cannot listen on 192.0.2.1:7001: without certificates on loopback only; give --tls DIR"
                + " (tutti certs makes one), or --insecure where only members can reach it");
    CommandProcess wanted = tutti.run("member", "--group", "g", "--listen", "192.0.2.1:7001", "--create", "--insecure");
    assertThat(wanted.errors().getFirst()).startsWith("tutti member: cannot listen on 192.0.2.1:7001: cannot assign");
    CommandProcess none = member("n1", "--create", "--tls", directory.resolve("none").toString());
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.errors().getFirst()).startsWith("tutti member: no TLS: no file ");
    isRefused(command("elsewhere", "--cluster", "other"), "for cluster other, not for tutti");
    isRefused(command("web", "--role", "client,operator"), "for the role client or operator, not member or observer");
    Refusal unknown = Refusal.of("certs", "--dir", directory.toString(), "--role", "admin", "n1");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.errors().getFirst())
        .contains("there is no role 'admin'; there are: member, observer, client, operator");
    Refusal unnamed = Refusal.of("certs", "--dir", directory.toString(), "../n1");
    assertThat(unnamed.exitCode()).isEqualTo(2);
  }

  @Test
  void whatNoCertificateCanSayIsRefusedBeforeOneIsMade() throws Exception {
    isRefused("a cluster in a certificate has 1 to 255 letters, digits and ", "--cluster", "a b/\u00fc");
    isRefused("a cluster in a certificate has 1 to 255 letters, digits and ", "--cluster", "");
    isRefused("--days: certificates are valid for 1 to 3650 days, not 999999999", "--days", "999999999");
    assertThat(directory.resolve("n1")).doesNotExist();
    assertThat(command("n2", "--cluster", "prod/eu:1", "--days", "3650").resolve("cert.pem")).exists();
    Instant later = Instant.now().plus(Duration.ofDays(4000));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Authority.in(directory).issue("n3", "tutti", Instant.now(), later))
        .withMessageMatching(
            "a certificate until \\S+ would outlive its authority, whose own is valid until \\d{4}-\\d\\d-\\d\\d");
  }

  private void isRefused(String words, String option, String value) {
    Refusal refusal = Refusal.of("certs", "--dir", directory.toString(), option, value, "n1");
    assertThat(refusal.exitCode()).isEqualTo(2);
    assertThat(refusal.errors()).singleElement().asString().contains(words);
  }

  private void isRefused(Path certificate, String purpose) throws Exception {
    CommandProcess member = member("n1", "--create", "--tls", certificate.toString());
    assertThat(member.errors()).containsExactly("tutti member: the certificate in " + certificate + " is " + purpose);
  }

  @Test
  void aCertificateForObserversIsForCommandsThatObserve() throws Exception {
    Path observer = command("o1", "--role", "observer");
    CommandProcess first = member("n1", "--create", "--tls", command("n1", "--role", "member").toString());
    String contact = first.address();
    CommandProcess member = member("o1", "--join", contact, "--tls", observer.toString());
    fails(
        member,
        "tutti member: the certificate in "
            + observer
            + " is for the role observer, not member, so this node may not"
            + " vote: observe the group (Node.observe, tutti watch, tutti send), or use a certificate for the role"
            + " member");
    String[] there = {"--group", "bank", "--join", contact, "--tls", observer.toString()};
    CommandProcess watch = tutti.run("watch", there[0], there[1], there[2], there[3], there[4], there[5]);
    watch.lineMatching("view \\S+ primary: n1; observers: watch-.*");
    CommandProcess send = tutti.run("send", there[0], there[1], there[2], there[3], there[4], there[5], "--name", "s");
    send.type("hello");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    first.lineMatching("0 s: hello");
    watch.lineMatching("0 s: hello");
  }

  @Test
  @Tag("deep")
  void theDemoRunsWithTls() throws Exception {
    String own = certificate("replica").toString();
    CommandProcess demo = tutti.run("demo", "--quick", "--tls", own);
    assertThat(demo.exitCode()).isZero();
  }
}
