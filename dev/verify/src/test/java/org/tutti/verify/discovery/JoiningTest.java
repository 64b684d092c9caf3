package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;
import org.tutti.verify.cli.Refusal;

/// `--join` with something that is asked: members as processes.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JoiningTest {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  private static String port(CommandProcess member) throws InterruptedException {
    return member.lineMatching("n\\d listens on .*").replaceFirst(".*:", "");
  }

  private CommandProcess member(String name, String... how) throws IOException {
    var args = new ArrayList<>(List.of("member", "--group", "bank", "--listen", "127.0.0.1:0", "--name", name));
    args.addAll(List.of(how));
    return tutti.run(args.toArray(String[]::new));
  }

  @Test
  void aMemberWaitsForAFileThatIsWrittenLater(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("nodes");
    CommandProcess second = member("n2", "--join", "file:" + file, "--timeout", "60s");
    port(second);
    CommandProcess first = member("n1", "--create");
    Path draft = Files.writeString(directory.resolve("draft"), "127.0.0.1:" + port(first) + "\n");
    Files.move(draft, file);
    second.lineMatching("view \\S+ primary: n1 n2");
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", "file:" + file, "--name", "s");
    send.type("hello");
    send.endInput();
    assertThat(send.exitCode()).isZero();
    second.lineMatching("0 s: hello");
  }

  @Test
  void aMemberIsFoundByNameAndByService() throws Exception {
    CommandProcess first = member("n1", "--create");
    String port = port(first);
    member("n2", "--join", "dns:localhost:" + port).lineMatching("view \\S+ primary: n1 n2");
    try (var server = new NameServer()) {
      server.service("_tutti._tcp.nodes.test", "0 0 " + port + " n1.nodes.test");
      server.host("n1.nodes.test", "127.0.0.1");
      CommandProcess third = member("n3", "--join", "srv:_tutti._tcp.nodes.test@" + server.address());
      third.lineMatching("view \\S+ primary: n1 n2 n3");
    }
  }

  @Test
  void whoFindsNobodyIsToldWhy() throws Exception {
    CommandProcess member = member("n1", "--join", "file:/no/such/file,dns:nobody.invalid:7", "--timeout", "2s");
    assertThat(member.exitCode()).isEqualTo(1);
    assertThat(member.errors())
        .containsExactly(
            "tutti member: nobody answers at file:/no/such/file, dns:nobody.invalid:7"
                + " (file:/no/such/file: no file /no/such/file; dns:nobody.invalid:7: unknown host 'nobody.invalid')"
                + " (waited 2 s)");
    CommandProcess send = tutti.run("send", "--group", "bank", "--join", "file:/no/such/file", "--timeout", "1s");
    assertThat(send.exitCode()).isEqualTo(1);
    assertThat(send.errors())
        .containsExactly(
            "tutti send: nobody answers at file:/no/such/file (file:/no/such/file: no file /no/such/file)"
                + " (waited 1 s)");
  }

  @Test
  void aPlaceOfAnotherFormIsAUsageError() {
    for (String where : List.of("file:", "dns:", "dns:x", "dns::7", "dns:x:0", "srv:", "srv:x@", "srv:x@y", "x")) {
      Refusal refusal = Refusal.of("watch", "--group", "bank", "--join", where);
      assertThat(refusal.exitCode()).as(where).isEqualTo(2);
      assertThat(refusal.errors().getFirst()).contains("'" + where + "' is not of the form ");
    }
  }
}
