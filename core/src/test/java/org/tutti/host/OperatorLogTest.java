package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.LoggedEvent;
import org.tutti.MemberConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.fixture.Awaited;
import org.tutti.fixture.LogRecords;
import org.tutti.fixture.ManualMembership;
import org.tutti.membership.Omission;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;
import org.tutti.transport.memory.InProcess;
import org.tutti.user.Notice;
import org.tutti.user.Report;

/// What an operator reads: every line is on the page, floods are cut, and it says why.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OperatorLogTest {
  private static final long SOON_SECONDS = 60;
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (INFO|WARNING|ERROR|DEBUG) \\| `(.*?)` \\| \\S.* \\|$");

  @AutoClose private final LogRecords log = new LogRecords("org.tutti.Group");

  /// The lines of [LogLine], and the constant parts of those that other classes write.
  @Test
  void thePageAndTheCodeHaveTheSameLines() throws IOException {
    List<String> rows =
        ROW.matcher(Files.readString(Path.of("../docs/guides/logs.md")))
            .results()
            .map(row -> row.group(1) + " " + row.group(2).replaceAll("\\{[^}]*}", "*"))
            .toList();
    Stream<String> lines =
        Arrays.stream(LogLine.values())
            .map(line -> line.level() + " " + line.format().replace("%s", "*").replace("%d", "*"));
    assertThat(rows)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(lines, Stream.concat(ofNode("host/Watchdog"), ofNode("engine/EventLoop"))).toList());
  }

  /// What stands in a source for a line that begins with the node's name.
  private static Stream<String> ofNode(String source) throws IOException {
    String text = Files.readString(Path.of("src/main/java/org/tutti", source + ".java"));
    return Pattern.compile("\"(node %s: .*?)\"|log\\(Level.ERROR, \"(node )\" \\+ name \\+ \"(.*?)\"")
        .matcher(text)
        .results()
        .map(found ->
            found.group(1) != null
                ? "WARNING " + found.group(1).replace("%s", "*")
                : "ERROR " + found.group(2) + "*" + found.group(3));
  }

  @Test
  void floodsAreCutAndForeignTextIsEscaped() throws Exception {
    var lines = new OperatorLog("bank", new MemberId("n1", new Address("here:1"), 1));
    for (int i = 0; i < OperatorLog.LINES_MAX + 5; i++) {
      lines.write(0, LogLine.REFUSED, "here:2: a\nb");
    }
    lines.write(0, LogLine.HEARD, "n2");
    lines.write(OperatorLog.PERIOD_NANOS, LogLine.REFUSED, "here:3");
    for (int i = 0; i < OperatorLog.LINES_MAX; i++) {
      assertThat(log.next().getMessage())
          .startsWith("group bank at n1: this node is refused by here:2: a")
          .doesNotContain("\n");
    }
    assertThat(log.next().getMessage()).isEqualTo("group bank at n1: n2 is heard again");
    assertThat(log.next().getMessage())
        .isEqualTo("group bank at n1: this node is refused by here:3 (5 lines like this one were left out before it)");
  }

  @Test
  void theLastLinesAreKeptWithWhomTheyAreAbout() throws Exception {
    var lines = new OperatorLog("bank", new MemberId("n1", new Address("here:1"), 1));
    var n2 = new MemberId("n2", new Address("here:2"), 1);
    var n3 = new MemberId("n3", new Address("here:3"), 1);
    for (int i = 0; i < OperatorLog.KEPT_MAX; i++) {
      lines.write(i * OperatorLog.PERIOD_NANOS, LogLine.HEARD, n3);
      log.next(); // more would not fit while the log blocks
    }
    lines.write(0, LogLine.REFUTED, n2, n3);
    lines.writeAbout(List.of(n3), LogLine.NO_PROGRESS, "n3\nis slow");
    List<LoggedEvent> kept = lines.kept();
    assertThat(kept).hasSize(OperatorLog.KEPT_MAX);
    LoggedEvent last = kept.getLast();
    assertThat(last.kind()).isEqualTo("NO_PROGRESS");
    assertThat(last.members()).containsExactly("n3");
    assertThat(last.words()).startsWith("no progress: n3").doesNotContain("\n");
    assertThat(last.view()).isEmpty();
    assertThat(kept.get(OperatorLog.KEPT_MAX - 2).members()).containsExactly("n2", "n3");
    assertThat(kept.getFirst().words()).isEqualTo("n3 is heard again");
  }

  @Test
  void whatIsForDebuggingIsOnlyMadeWhenItIsLoggedAndIsNotKept() throws Exception {
    var lines = new OperatorLog("bank", new MemberId("n1", new Address("here:1"), 1));
    var made = new AtomicInteger();
    Supplier<String> words = () -> "propose " + made.incrementAndGet();
    lines.write(0, LogLine.TOLD, "n2", words);
    assertThat(made).hasValue(0);
    debug();
    for (int i = 1; i <= OperatorLog.DEBUG_LINES_MAX; i++) {
      lines.write(0, LogLine.TOLD, "n2", words);
      assertThat(log.next().getMessage()).isEqualTo("group bank at n1: from n2: propose " + i);
    }
    lines.write(0, LogLine.TOLD, "n2", words);
    lines.write(0, LogLine.HEARD, "n3");
    assertThat(log.next().getMessage()).isEqualTo("group bank at n1: n3 is heard again");
    assertThat(made).hasValue(OperatorLog.DEBUG_LINES_MAX);
    assertThat(lines.kept()).extracting(LoggedEvent::kind).containsExactly("HEARD");
  }

  /// The log stands still at the first line.
  @Test
  void linesForDebuggingTakeNoRoomFromOthers() throws Exception {
    debug();
    var lines = new OperatorLog("bank", new MemberId("n1", new Address("here:1"), 1));
    log.hold();
    for (int i = 0; i < OperatorLog.DEBUG_LINES_MAX; i++) {
      lines.write(0, LogLine.TOLD, "n2", "propose");
      lines.write(0, LogLine.SAID, "n2", "propose");
    }
    lines.write(0, LogLine.HEARD, "n3");
    log.goOn();
    log.next("group bank at n1: n3 is heard again");
    assertThat(lines.kept()).hasSize(1);
  }

  /// Until the test is over.
  private void debug() {
    log.level(Level.FINE);
  }

  @Test
  void aViewChangeCanBeFollowed() throws Exception {
    debug();
    var hub = new InProcess();
    try (Node n1 = node(hub, 1)) {
      Group first = n1.create("bank", GroupConfig.standard());
      log.next("group bank at n1 in view \\d+: caught up at position 0");
      try (Node n2 = node(hub, 2)) {
        n2.join("bank");
        String at = "group bank at n1 in view \\d+: ";
        log.next(at + "to n1, n2: propose \\d+\\.\\w+");
        log.next(at + "from n2: wedged for \\d+\\.\\w+ in 0\\.\\w+ non-primary \\[n2], has not caught up");
        log.next(at + "to n1(, n2)?: accept in \\S+: \\S+ primary \\[n1, n2] after \\S+, n1 brings n2 up to date");
        log.next(at + "from n2: accepted in \\d+\\.\\w+");
        log.next(at + "to n1, n2: install \\d+\\.\\w+");
        log.next(at + "primary view of n1, n2; joined: n2");
        Awaited.untilViewOf(first, 2);
      }
    }
  }

  @Test
  void viewsSayWhoCameAndWhoLeft() throws Exception {
    var hub = new InProcess();
    try (Node n1 = node(hub, 1)) {
      Group first = n1.create("bank", GroupConfig.standard());
      try (Node n2 = node(hub, 2)) {
        n2.join("bank");
        log.next("group bank at n1 in view \\d+: primary view of n1, n2; joined: n2");
        Awaited.untilViewOf(first, 2);
      }
      log.next("group bank at n1 in view \\d+: primary view of n1; gone: n2 \\(it left\\)");
      assertThat(first.logged())
          .filteredOn(event -> event.members().contains("n2"))
          .extracting(LoggedEvent::words)
          .containsExactly("primary view of n1, n2; joined: n2", "primary view of n1; gone: n2 (it left)");
    }
    log.next("group bank at n1 in view \\d+: this member has left: .*");
  }

  @Test
  void whoIsSuspectedOnWhatGroundIsSaid() throws Exception {
    var hub = new InProcess();
    try (Node n1 = node(hub, 1);
        Node n2 = node(hub, 2);
        Node n3 = node(hub, 3)) {
      n1.create("bank", GroupConfig.standard());
      Group second = n2.join("bank");
      Group third = n3.join("bank");
      Awaited.untilViewOf(second, 3);
      Awaited.untilViewOf(third, 3);
      n1.suspect(n3.self());
      log.next("group bank at n1 in view \\d+: n3 is suspected: the application says so");
      log.next("group bank at n1 in view \\d+: n3 is heard again|.*gone: n3 \\(the application says so\\)");
    }
  }

  private static Refused refused(Refused.Reason reason, String words) {
    return new Refused(new Address("here:3"), reason, words);
  }

  @Test
  void whoDecidesWithoutASuspicionSaysWhy() throws Exception {
    var n1 = new MemberId("n1", new Address("here:1"), 1);
    var n2 = new MemberId("n2", new Address("here:2"), 2);
    View both = new View(new ViewId(1, 2), List.of(n1, n2), true, List.of());
    View alone = new View(new ViewId(2, 1), List.of(n1), false, List.of());
    var gone = new Notice.Gone(n2, Notice.Ground.DECIDED, n1, Duration.ZERO);
    new Reporter("bank", n1).notice(new Notice.Installed(both, alone, List.of(gone)));
    log.next(
        "group bank at n1 in view 2: view without the right to go on, of n1; gone: n2 \\(it does not hear this member,"
            + " or has gone on without it\\)");
    new Reporter("bank", n2).notice(new Notice.Installed(both, alone, List.of(gone)));
    log.next(".*gone: n2 \\(decided by n1\\)");
  }

  @Test
  void theGroupGoingToAnotherVersionIsALine() throws Exception {
    var n1 = new MemberId("n1", new Address("here:1"), 1);
    var n2 = new MemberId("n2", new Address("here:2"), 2);
    var both = new View(new ViewId(1, 1), List.of(n1, n2), 2, true, List.of(), 5);
    var alone = new View(new ViewId(2, 1), List.of(n1), 1, true, List.of(both.id()), 6);
    var left = new Notice.Gone(n2, Notice.Ground.LEFT, null, Duration.ZERO);
    var reporter = new Reporter("bank", n1);
    reporter.notice(new Notice.Installed(both, alone, List.of(left)));
    log.next("group bank at n1 in view 2: primary view of n1; gone: n2 \\(it left\\)");
    log.next("group bank at n1 in view 2: the group speaks version 6 of the protocol from this view on, before it 5");
  }

  @Test
  void doubtsAndRestartsAreLines() throws Exception {
    var n1 = new MemberId("n1", new Address("here:1"), 1);
    var n2 = new MemberId("n2", new Address("here:2"), 2);
    var n3 = new MemberId("n3", new Address("here:3"), 3);
    var reporter = new Reporter("bank", n1);
    reporter.notice(new Notice.Restarted(null, 7, OptionalLong.of(40)));
    log.next(
        "group bank at n1: goes on from stable storage: no primary view, 7 batches, deliveries go on at position 40");
    var view = new ViewId(9, 7);
    reporter.notice(new Notice.Forced(n3, Instant.ofEpochSecond(1_700_000_000), view, 40));
    log.next(
        "group bank at n1: an operator forced n3 to be primary without a quorum at 2023-11-14T22:13:20Z, from position"
            + " 40 on");
    debug();
    reporter.notice(new Notice.Omitted(view, List.of(n2, n3), Omission.SILENT));
    log.next("group bank at n1: the attempt 9\\.7 goes on without n2, n3, which did not answer in time");
    reporter.notice(new Notice.Omitted(view, List.of(n2), Omission.GONE));
    log.next(".* goes on without n2, which counts as gone, or cannot be taken in");
    reporter.notice(new Notice.Omitted(view, List.of(n2), Omission.ELSEWHERE));
    log.next(".* goes on without n2, which is in another history, or in a later view");
    reporter.notice(new Notice.Doubted(n2, Duration.ofMillis(4100)));
    log.next("group bank at n1: n2 was not heard here for 4\\.1 s; the others are asked before it is suspected");
    reporter.notice(new Notice.Refuted(n2, n3));
    log.next("group bank at n1: n2 is not suspected: n3 has heard it");
    reporter.tell(
        Report.joining("bank", n1, List.of(), List.of(refused(Refused.Reason.ITS_CERTIFICATE, "it has expired"))));
    log.next("group bank at n1: this node refuses here:3: it has expired");
    reporter.tell(
        Report.joining("bank", n1, List.of(), List.of(refused(Refused.Reason.OWN_CERTIFICATE, "it refuses this one"))));
    log.next("group bank at n1: this node is refused by here:3: it refuses this one");
  }

  @Test
  void statesThatComeAreLines() throws Exception {
    var n3 = new MemberId("n3", new Address("here:3"), 3);
    var reporter = new Reporter("bank", new MemberId("n1", new Address("here:1"), 1));
    StateProgress states = reporter.states();
    long begin = System.nanoTime();
    states.comes(5, n3, 40);
    log.next("group bank at n1: gets the state as of position 40 from n3");
    states.came(5, 100, false);
    states.look(begin); // not yet
    states.look(System.nanoTime() + StateProgress.EVERY_NANOS);
    log.next("group bank at n1: has got 100 bytes of the state from n3 in 10\\.\\d s");
    states.came(5, 50, true);
    assertThat(log.next().getMessage()).matches("group bank at n1: has got the state from n3: 150 bytes in \\S+ s");
    states.brokeOff(5); // it is over
    states.comes(6, n3, 41);
    states.came(6, 10, false);
    states.brokeOff(6);
    assertThat(log.next().getMessage()).isEqualTo("group bank at n1: gets the state as of position 41 from n3");
    log.next("group bank at n1: the state from n3 broke off after 10 bytes; another member is asked");
  }

  @Test
  void statesThatGoAreLines() throws Exception {
    var hand = new ManualMembership();
    hand.group.stateRequested(5, ManualMembership.OTHER);
    log.next("group bank at n1: gives the state to n2");
    var sink = ((Event.StateRequest) hand.group.receive()).sink();
    sink.write(new byte[100]);
    sink.complete();
    log.next("group bank at n1: has given the state to n2: 100 bytes in \\S+ s");
    hand.group.stateCancelled(5); // it is over
    hand.group.stateRequested(6, ManualMembership.OTHER);
    hand.group.stateCancelled(6);
    assertThat(log.next().getMessage()).isEqualTo("group bank at n1: gives the state to n2");
    log.next(
        "group bank at n1: gives the state to n2 no longer, after 0 bytes: it has gone, or got it from another member");
    hand.group.receive();
    hand.group.stateRequested(7, ManualMembership.OTHER);
    sink = ((Event.StateRequest) hand.group.receive()).sink();
    sink.write(new byte[(64 << 10) + 1]);
    sink.close();
    hand.group.stateCancelled(7); // it was told
    log.next(
        "group bank at n1: gives the state to n2 no longer, after 65536 bytes: its sink was closed before it was"
            + " complete");
    var reporter = new Reporter("bank", ManualMembership.SELF);
    StateProgress states = reporter.states();
    states.goes(8, ManualMembership.OTHER);
    states.gave(8, 7, false);
    states.look(System.nanoTime() + StateProgress.EVERY_NANOS);
    assertThat(log.next().getMessage()).isEqualTo("group bank at n1: gives the state to n2");
    log.next("group bank at n1: has given 7 bytes of the state to n2 in 10\\.\\d s");
    reporter.close(new End(End.Cause.LEFT, "left"));
    states.gaveUp(8, "it has gone"); // nobody waits for that
    assertThat(log.next().getMessage()).isEqualTo("group bank at n1: this member has left: left");
    assertThat(log.all()).isEmpty();
  }

  /// The second member's application takes nothing, so the first one's window stays full.
  @Test
  void aFullWindowSaysWhoHasNotConsumed() throws Exception {
    var hub = new InProcess();
    try (Node n1 = node(hub, 1);
        Node n2 = node(hub, 2)) {
      MemberConfig small = MemberConfig.builder().windowBytes(1 << 16).build();
      Group first = n1.create("bank", GroupConfig.standard(), small);
      Group second = n2.join("bank", small);
      Awaited.untilViewOf(first, 2);
      while (second.view() == null || second.view().size() != 2) {
        Thread.onSpinWait();
      }
      while (first.tryPost(ByteBuffer.allocate(1000))) {
        first.receive(Duration.ZERO);
      }
      Thread taker =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  while (true) {
                    first.receive(Duration.ofSeconds(1));
                  }
                } catch (Exception ended) {
                  // the test is over
                }
              });
      log.next(
          "group bank at n1 in view \\d+: the window has been full for \\S+ s, so multicasts wait or are refused: "
              + ".*n2 has not consumed \\d+ bytes for \\S+ s.*");
      taker.interrupt();
      taker.join();
    }
  }

  @Test
  void anApplicationThatStaysAtAnEventIsTold() throws Exception {
    var hub = new InProcess();
    try (Node n1 = node(hub, 1)) {
      Group alone = n1.create("bank", GroupConfig.standard());
      Awaited.untilViewOf(alone, 1);
      for (int i = 0; i < 3; i++) {
        alone.post(ByteBuffer.allocate(8));
        alone.receive(Duration.ZERO);
      }
      alone.multicast(ByteBuffer.allocate(8)).get(SOON_SECONDS, TimeUnit.SECONDS);
      log.next("group bank at n1 in view \\d+: the application has been at an event, .*; \\d+ more wait for it");
      while (alone.receive(Duration.ZERO) != null) {
        Thread.onSpinWait();
      }
      log.next("group bank at n1 in view \\d+: the application takes events again, after \\S+ s");
    }
  }

  private static Node node(InProcess hub, int place) {
    return Node.named("n" + place)
        .contacts(place == 1 ? List.of() : List.of(new Address("here:1")))
        .times(Duration.ofMillis(50), Duration.ofSeconds(10))
        .transport(hub.open(new Address("here:" + place)))
        .start();
  }
}
