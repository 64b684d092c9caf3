package org.tutti.verify.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Outcome;
import org.tutti.View;
import org.tutti.fixture.Tree;

/// The code in the README is the code that runs here, and it does what the README says.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadmeTest {
  private static final String SOURCE = "dev/verify/src/test/java/org/tutti/verify/docs/ReadmeTest.java";
  private static final Pattern REGION = Pattern.compile("(?s)\n *// readme: begin\n(.*?)\n *// readme: end\n");
  private static final String BLOCK = "(?s)\n```java\n(.*?)\n```\n";

  private static void run(PrintStream out) throws Exception {
    // readme: begin
    try (Node n1 = Node.named("n1").start();
        Node n2 = Node.named("n2").contacts(n1.self().address().text()).start()) {
      Group one = n1.create("bank", GroupConfig.standard());
      Group two = n2.join("bank");
      two.multicast("deposit 100".getBytes(UTF_8)).get(); // is sent as soon as n2 is a member
      var last = (Outcome.Ordered) one.multicast("withdraw 30".getBytes(UTF_8)).get();
      for (Group group : List.of(one, two)) {
        for (boolean more = true; more; ) {
          switch (group.receive()) {
            case Event.ViewChange(View view) -> out.println(group.self() + " sees " + view.members());
            case Event.CaughtUp(long position) -> out.println(group.self() + " serves from " + position);
            case Event.Delivery(MemberId sender, _, long position, ByteBuffer payload) -> {
              out.println(group.self() + ": " + position + " " + sender + " " + UTF_8.decode(payload));
              more = position < last.position();
            }
            default -> throw new IllegalStateException("only with state transfer, or at the end");
          }
        }
      }
    }
    // readme: end
  }

  @Test
  void theExamplePrintsWhatTheReadmeSays() throws Exception {
    var bytes = new ByteArrayOutputStream();
    run(new PrintStream(bytes, true, UTF_8));
    List<String> lines = bytes.toString(UTF_8).lines().toList();
    // More views than these are possible: a slow moment may look like a crash.
    assertThat(lines).containsSubsequence(block("(?s)\n```\n(n1 sees .*?)\n```\n").lines().toList());
  }

  @Test
  void theReadmeShowsTheCodeThatRuns() throws IOException {
    String code = found(REGION, Files.readString(Tree.root().resolve(SOURCE))).stripIndent();
    assertThat(block(BLOCK)).isEqualTo(code);
  }

  private static String block(String pattern) throws IOException {
    return found(Pattern.compile(pattern), Files.readString(Tree.root().resolve("README.md")));
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(pattern.pattern()).isTrue();
    return matcher.group(1);
  }
}
