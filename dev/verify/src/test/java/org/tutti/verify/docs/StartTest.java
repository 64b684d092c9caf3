package org.tutti.verify.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.chat.Chat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.tutti.fixture.LoopbackPorts;
import org.tutti.fixture.Tree;
import org.tutti.verify.cli.CommandProcess;
import org.tutti.verify.cli.CommandProcesses;

/// The program of the getting-started page is the one that runs here, as three processes that do what the page says.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StartTest {
  private static final String PAGE = "docs/guides/start.md";
  private static final String SOURCE = "dev/verify/src/test/java/com/example/chat/Chat.java";
  private static final Pattern NAME = Pattern.compile("n\\d");

  @RegisterExtension final CommandProcesses processes = new CommandProcesses();

  @Test
  void thePageShowsTheProgramThatRuns() throws IOException {
    assertThat(block(PAGE, "java")).isEqualTo(text(SOURCE));
  }

  @Test
  void thePageAndTheReadmeNeedTheSame() throws IOException {
    assertThat(block(PAGE, "xml").replaceAll("\\s+", "")).contains(block("README.md", "xml").replaceAll("\\s+", ""));
  }

  @Test
  void threeProcessesFormAGroupThatOutlivesOneOfThem() throws Exception {
    String[] addresses = LoopbackPorts.addresses(3).toArray(new String[0]);
    CommandProcess n1 = chat("n1", addresses[0], addresses);
    CommandProcess n2 = chat("n2", addresses[1], addresses);
    CommandProcess n3 = chat("n3", addresses[2], addresses);
    for (CommandProcess each : List.of(n1, n2, n3)) {
      awaitView(each, "n1", "n2", "n3");
    }
    n1.type("hello\n");
    for (CommandProcess each : List.of(n1, n2, n3)) {
      each.lineMatching("0 n1: hello");
    }
    n3.close();
    awaitView(n2, "n1", "n2");
    n2.type("still here\n");
    n1.lineMatching("1 n2: still here");
    CommandProcess again = chat("n3", addresses[2], addresses);
    awaitView(again, "n1", "n2", "n3");
    n1.type("welcome back\n");
    again.lineMatching("2 n1: welcome back");
    again.endInput();
    again.lineMatching("closed: .*");
    assertThat(again.exitCode()).isZero();
  }

  private CommandProcess chat(String name, String address, String... contacts) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Chat.class.getName(), name, address));
    command.addAll(List.of(contacts));
    return processes.start(command);
  }

  /// Waits for a primary view of these members, in any order of seniority.
  private static void awaitView(CommandProcess process, String... members) throws InterruptedException {
    var seen = new TreeSet<String>();
    while (!seen.equals(new TreeSet<>(List.of(members)))) {
      seen.clear();
      NAME.matcher(process.lineMatching("primary view .*")).results().map(MatchResult::group).forEach(seen::add);
    }
  }

  private static String block(String page, String language) throws IOException {
    Matcher matcher = Pattern.compile("(?s)\n```" + language + "\n(.*?)```\n").matcher(text(page));
    assertThat(matcher.find()).as(language + " in " + page).isTrue();
    return matcher.group(1);
  }

  private static String text(String file) throws IOException {
    return Files.readString(Tree.root().resolve(file));
  }
}
