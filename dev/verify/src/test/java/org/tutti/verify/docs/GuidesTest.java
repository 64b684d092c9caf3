package org.tutti.verify.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.example.settings.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Durability;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberConfig;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.Partitions;
import org.tutti.View;
import org.tutti.fixture.Tree;
import org.tutti.net.discovery.HostDiscovery;

/// The Java code in the guides is code of the source tree: it compiles, and most of it runs in a test.
@Tag("socket")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GuidesTest {
  private static final Pattern BLOCK = Pattern.compile("(?s)\n```java\n(.*?)```\n");

  private final List<String> service = new ArrayList<>();

  @Test
  void codeIsInTheSourceTree() throws IOException {
    var sources = new ArrayList<String>();
    for (Path file : Tree.files().stream().filter(file -> file.toString().endsWith(".java")).toList()) {
      sources.add(stripped(Files.readString(file)));
    }
    var unknown = new ArrayList<String>();
    for (Path page : Tree.files().stream().filter(GuidesTest::isGuide).toList()) {
      BLOCK
          .matcher(Files.readString(page))
          .results()
          .map(block -> block.group(1))
          .filter(code -> sources.stream().noneMatch(source -> source.contains(stripped(code))))
          .forEach(code -> unknown.add(page.getFileName() + ":\n" + code));
    }
    assertThat(unknown).isEmpty();
  }

  private static boolean isGuide(Path file) {
    return file.startsWith(Tree.root().resolve("docs/guides")) && file.toString().endsWith(".md");
  }

  private static String stripped(String code) {
    return code.lines().map(String::strip).collect(Collectors.joining("\n"));
  }

  @Test
  void aNewcomerGetsTheTable() throws Exception {
    try (Node n1 = Node.named("n1").start();
        Node n2 = Node.named("n2").contacts(n1.self().address().text()).start()) {
      GroupConfig config = GroupConfig.builder().stateTransfer(true).build();
      var first = new Settings(n1.create("settings", config));
      first.put("colour", "green");
      Group joined = n2.join("settings");
      var second = new Settings(joined);
      joined.awaitServing(Duration.ofSeconds(60));
      assertThat(second.get("colour")).isEqualTo("green");
      second.put("colour", "blue");
      assertThat(second.get("colour")).isEqualTo("blue");
    }
  }

  @Test
  void aMemberServesInAPrimaryViewOnly() throws Exception {
    try (Node node = Node.named("n1").start()) {
      Group group = node.create("bank", GroupConfig.standard());
      while (!service.contains("serve")) {
        switch (group.receive()) {
          case Event.CaughtUp _ -> serveClients();
          case Event.ViewChange(View view) when !view.primary() -> refuseClients();
          default -> {}
        }
      }
    }
    assertThat(service).containsExactly("serve");
  }

  private void serveClients() {
    service.add("serve");
  }

  private void refuseClients() {
    service.add("refuse");
  }

  @Test
  void settingsOfTheGuidesAreAccepted() {
    GroupConfig bank =
        GroupConfig.builder()
            .electorate("n1", "n2", "n3") // static majority: any two of these three
            .partitions(Partitions.SUSPEND)
            .build();
    assertThat(bank.electorate()).hasSize(3);
  }

  @Test
  void aNodeTellsItsMetrics() throws Exception {
    var bytes = new ByteArrayOutputStream();
    try (Node node = Node.named("n1").start();
        var out = new PrintStream(bytes, true, UTF_8)) {
      for (Metric metric : node.metrics()) {
        out.println(metric); // link.packets.repeated 12 packets
      }
    }
    assertThat(bytes.toString(UTF_8)).containsPattern("(?m)^link\\.packets\\.repeated \\d+ packets$");
  }

  @Test
  void aRestartedMemberGoesOnBehindItsPosition(@TempDir Path directory) throws Exception {
    var database = new Database();
    for (int life = 0; life < 2; life++) {
      Node node = Node.named("a").data(directory).start();
      GroupConfig config = GroupConfig.builder().durability(Durability.EACH).build();
      MemberConfig member = MemberConfig.builder().position(database.next()).build();
      Group bank = node.joinOrCreate("bank", 1, config, member);
      try (node) {
        bank.awaitServing(Duration.ofSeconds(60));
        bank.multicast(new byte[] {1}).get();
        while (database.next() == life) {
          if (bank.receive() instanceof Event.Delivery delivery) {
            database.apply(delivery);
          }
        }
        bank.persisted(database.next()); // from time to time, after the database was forced to disk
      }
    }
    assertThat(database.next()).isEqualTo(2);
  }

  @Test
  void aNodeTakesAnyDiscovery() throws Exception {
    try (Node node = Node.named("n5").discover(new HostDiscovery("localhost", 7001)).start()) {
      assertThat(node.join("bank").name()).isEqualTo("bank");
    }
  }

  /// Of an application: applies each position once.
  private static final class Database {
    private long next;

    long next() {
      return next;
    }

    void apply(Event.Delivery delivery) {
      assertThat(delivery.position()).isEqualTo(next);
      next++;
    }
  }
}
