package org.tutti.verify.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.transport.Address;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// What cannot be meant is refused in one line that says why, before anything is joined.
@Execution(ExecutionMode.CONCURRENT)
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UsageTest {
  @RegisterExtension final CommandProcesses tutti = new CommandProcesses();

  private static void refuses(String words, String... args) {
    Refusal refusal = Refusal.of(args);
    assertThat(refusal.exitCode()).isEqualTo(2);
    assertThat(refusal.errors()).hasSize(1).first().asString().contains(words);
  }

  private static String[] member(String... more) {
    List<String> all = new ArrayList<>(List.of("member", "--create"));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }

  @Test
  void aWarmUpHasTimeToShowTwoSeconds() {
    refuses("--time is from 2s to 60s, not 1 s", "warm", "--time", "1s");
  }

  @Test
  void timesAreSaidAsTheyAreWritten() throws Exception {
    refuses("--lease: a lease lasts a second at least, not 0 s", "registry", "--listen=127.0.0.1:0", "--lease=0s");
    assertThat(String.join(" ", tutti.run("probe", "--help").rest())).contains("(0s)");
  }

  @Test
  void namesThatWouldConfuseAreRefused() {
    String[] here = {"--group", "bank", "--listen", "127.0.0.1:0"};
    refuses("'--name': a name has no blanks", member(here[0], here[1], here[2], here[3], "--name", "a b"));
    refuses(
        "'--name': a name has no control characters", member(here[0], here[1], here[2], here[3], "--name", "a\u001b"));
    refuses(
        "a name has 1 to 255 bytes, not 256", member(here[0], here[1], here[2], here[3], "--name", "x".repeat(256)));
    refuses("'--group': a name has 1 to 255 bytes, not 0", member("--group", "", here[2], here[3]));
    refuses("'--cluster': a name has no control", member(here[0], here[1], here[2], here[3], "--cluster", "a\nb"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--agreed", "--order=skeen", "--electorate=n1", "--primary-views=both", "--partitions=suspend"})
  void whoOnlyJoinsDoesNotSayWhatTheGroupIsLike(String option) {
    refuses(
        "Unknown option: '" + option.replaceAll("=.*", ""), "send", "--group", "bank", "--join", "127.0.0.1:1", option);
  }

  @Test
  void primaryViewsGoWithTheElectorate() {
    String[] here = {"--group", "bank", "--listen", "127.0.0.1:0", "--primary-views"};
    refuses("give --electorate", member(here[0], here[1], here[2], here[3], here[4], "static-majority"));
    refuses(
        "give static-majority or both",
        member(here[0], here[1], here[2], here[3], here[4], "dynamic-linear", "--electorate", "n1,n2"));
    refuses("none of: dynamic-linear", member(here[0], here[1], here[2], here[3], here[4], "any"));
  }

  @Test
  void whatWouldDoNothingIsRefused() {
    String[] here = {"--group=bank", "--listen=127.0.0.1:0"};
    refuses("--ready-behind needs --health", member(here[0], here[1], "--ready-behind=5s"));
    refuses(
        "--expect names a member twice: z,z",
        "member",
        "--join=127.0.0.1:1",
        here[0],
        here[1],
        "--name=z",
        "--expect=z,z");
    refuses("--seed or --seeds, --trace with --seed", "simulate", "--trace", "--seeds=5");
    refuses("--seed or --seeds, --trace with --seed", "simulate", "--seed=7", "--seeds=5");
  }

  @Test
  void anAddressThatLeadsNowhereIsNotAdvertised() {
    String[] all = {"--group", "bank", "--listen", "0.0.0.0:0", "--insecure"};
    refuses("give --advertise HOST:PORT", member(all));
    refuses(
        "members cannot be reached at '0.0.0.0:7'",
        member(all[0], all[1], all[2], all[3], all[4], "--advertise", "0.0.0.0:7"));
  }

  @Test
  void theSentencesOfTheFirstHelpAreWhole() throws Exception {
    List<String> help = tutti.run("--help").rest();
    String text = String.join("\n", help).replaceAll("\\s+", " ");
    assertThat(text)
        .contains("Multicasts each line of standard input, or of a file, to a group.")
        .contains("Makes certificates for members, and an authority for development.")
        .contains("Runs a registry, where the members of groups find each other, until Ctrl-C.");
    int commands = help.indexOf("Commands:");
    int codes = help.indexOf("Exit codes:");
    List<String> lines = help.subList(commands + 1, codes);
    for (int i = 0; i < lines.size(); i++) {
      boolean last = i + 1 == lines.size() || lines.get(i + 1).matches("  \\S.*") || lines.get(i + 1).isBlank();
      if (last && !lines.get(i).isBlank()) {
        assertThat(lines.get(i)).as("the end of a description").matches(".*[.]");
      }
    }
  }

  @Test
  void aSizeThatNoDatagramHasIsWrongUsage() {
    refuses("datagramBytesMax is ", "bench", "flood", "--udp", "10");
  }

  @Test
  void aKeyThatCannotBeReadIsExplainedOnce() {
    System.setProperty("tutti.udp.key", "/no/such/key");
    try {
      assertThatExceptionOfType(TransportException.class)
          .isThrownBy(() -> TransportProvider.named("udp").open(TransportSettings.at(new Address("127.0.0.1:0"))))
          .withMessage("no key: no file /no/such/key");
    } finally {
      System.clearProperty("tutti.udp.key");
    }
  }

  /// A host that is not known yet may be in a second.
  @Test
  void anUnknownHostIsAskedForAgain() throws Exception {
    CommandProcess watch = tutti.run("watch", "--group", "bank", "--join", "nobody.invalid:1", "--timeout", "1s");
    assertThat(watch.exitCode()).isEqualTo(1);
    assertThat(watch.errors())
        .containsExactly(
            "tutti watch: nobody answers at nobody.invalid:1 (nobody.invalid:1: unknown host 'nobody.invalid')"
                + " (waited 1 s)");
  }

  @Test
  void whyAFileCannotBeUsedIsSaidInWords(@TempDir Path directory) throws Exception {
    String file = Files.createFile(directory.resolve("file")).toString();
    fails("tutti certs: " + file + ": it exists and is no directory", "certs", "--dir", file, "n1");
    fails("tutti certs: /proc/x: no such file", "certs", "--dir", "/proc/x", "n1");
    fails("tutti simulate: cannot write /no/x.svg: no such file", "simulate", "--seed", "7", "--diagram", "/no/x.svg");
    fails(
        "tutti ipc create: no password: cannot read /no/file: no such file",
        "ipc",
        "create",
        "--servers=127.0.0.1:1",
        "--password-file=/no/file");
    String[] member = member("--group=bank", "--name=n1", "--listen=127.0.0.1:0", "--data=" + file);
    fails("tutti member: stable storage " + file + " cannot be opened: " + file + " is no directory", member);
  }

  @Test
  void whatADelegateCannotReadIsSaidAsByAllCommands() {
    String[] delegate = {"corba", "delegate", "--name=s1", "--listen=127.0.0.1:0", "--join=127.0.0.1:1", "--expect=s1"};
    List<String> all = new ArrayList<>(List.of(delegate));
    all.addAll(List.of("--group=g", "--objects=O", "--delivery=/no/file"));
    String words = "cannot read /no/file, which the servants' process writes: no such file";
    fails("tutti corba delegate: " + words, all.toArray(String[]::new));
  }

  private static void fails(String line, String... args) {
    Refusal refusal = Refusal.of(args);
    assertThat(refusal.errors()).containsExactly(line);
    assertThat(refusal.exitCode()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-2", "1001", "99999999999999999999"})
  void aNumberOfExpectedMembersIsNoName(String number) {
    String[] args = {"--group", "bank", "--listen", "127.0.0.1:0", "--join", "127.0.0.1:1", "--expect=" + number};
    List<String> all = new ArrayList<>(List.of("member"));
    all.addAll(Arrays.asList(args));
    refuses("--expect: the number of members is 1 to 1000, not " + number, all.toArray(String[]::new));
  }
}
