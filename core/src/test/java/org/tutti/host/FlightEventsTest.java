package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.tutti.fixture.Awaited.next;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Status.Cause;
import org.tutti.Status.Wait;
import org.tutti.fixture.InProcessNodes;
import org.tutti.transport.Address;

/// A recording has what happened to a membership.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlightEventsTest {
  private static final MemberId SELF = new MemberId("n1", new Address("here:1"), 1);
  private static final MemberId OTHER = new MemberId("n2", new Address("here:2"), 2);

  @AutoClose private final InProcessNodes nodes = new InProcessNodes();
  @AutoClose private final Recording recording = new Recording();
  @TempDir Path directory;

  private List<RecordedEvent> recorded(String name, String group) throws Exception {
    Path file = directory.resolve(name + ".jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals("org.tutti." + name))
        .filter(event -> event.getString("group").equals(group)) // other tests may run in this process
        .toList();
  }

  @Test
  void viewsStatesAndSuspicionsAreRecorded() throws Exception {
    recording.start();
    Node first = nodes.start();
    Group founder = first.create("flight", GroupConfig.builder().stateTransfer(true).build());
    Group newcomer = nodes.start().join("flight");
    try (var sink = next(founder, Event.StateRequest.class).sink()) {
      sink.write(new byte[1000]);
      sink.complete();
    }
    Event.StateOffer offer = next(newcomer, Event.StateOffer.class);
    assertThat(offer.source().readAllBytes()).hasSize(1000);
    newcomer.awaitServing(Duration.ofSeconds(60));
    first.suspect(newcomer.self());
    while (recorded("Suspicion", "flight").isEmpty()) {
      Thread.onSpinWait();
    }
    RecordedEvent suspicion = recorded("Suspicion", "flight").getFirst();
    assertThat(suspicion.getString("member")).isEqualTo("n1");
    assertThat(suspicion.getString("suspect")).isEqualTo("n2");
    assertThat(suspicion.getString("why")).isEqualTo("the application says so");
    assertThat(suspicion.getStackTrace()).isNull();

    List<RecordedEvent> states = recorded("StateTransfer", "flight");
    assertThat(states).extracting(state -> state.getString("member")).containsExactlyInAnyOrder("n1", "n2");
    assertThat(states)
        .allSatisfy(state -> {
          assertThat(state.getString("donor")).isEqualTo("n1");
          assertThat(state.getString("newcomer")).isEqualTo("n2");
          assertThat(state.getLong("bytes")).isEqualTo(1000);
          assertThat(state.getBoolean("complete")).isTrue();
          assertThat(state.getDuration("took")).isPositive().isLessThan(Duration.ofMinutes(1));
        });

    List<RecordedEvent> views = recorded("ViewChange", "flight");
    assertThat(views)
        .anyMatch(view -> view.getString("member").equals("n1") && view.getString("change").equals("joined: n2"));
    assertThat(views).filteredOn(view -> view.getString("members").equals("n1, n2")).hasSizeGreaterThan(1);
    assertThat(views.getFirst().getBoolean("primary")).isTrue();
    assertThat(views.getFirst().getLong("epoch")).isPositive();
  }

  @Test
  void aFullWindowIsRecordedWithWhoIsBehind() throws Exception {
    recording.start();
    var reporter = new Reporter("full", SELF);
    reporter.look(500_000_000, List.of(), null, 0); // may still go on
    var wait = new Wait(Cause.CONSUMPTION, List.of(OTHER), 1, Duration.ofSeconds(2), 4711);
    reporter.look(1_500_000_000, List.of(wait), null, 0);
    reporter.look(1_600_000_000, List.of(wait), null, 0); // was told just now
    List<RecordedEvent> full = recorded("WindowFull", "full");
    assertThat(full).hasSize(1);
    assertThat(full.getFirst().getDuration("full")).isEqualTo(Duration.ofMillis(1500));
    assertThat(full.getFirst().getString("behind")).isEqualTo("n2 has not consumed 4711 bytes for 2.0 s");
  }

  /// WatchdogTest has the turns.
  @Test
  void aLongTurnIsRecordedWithWhatItCalled() throws Exception {
    recording.start();
    FlightEvents.longTurn("n1", "GroupListener.deliver of group \"long\"", 1_300_000_000);
    Path file = directory.resolve("turns.jfr");
    recording.dump(file);
    assertThat(RecordingFile.readAllEvents(file))
        .filteredOn(event -> event.getEventType().getName().equals("org.tutti.LongTurn"))
        .filteredOn(event -> event.getString("calling").contains("\"long\"")) // other tests may run in this process
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getString("node")).isEqualTo("n1");
          assertThat(event.getDuration("took")).isEqualTo(Duration.ofMillis(1300));
        });
  }

  @Test
  void aStateThatBreaksOffIsNotComplete() throws Exception {
    recording.start();
    var reporter = new Reporter("broken", SELF);
    StateProgress progress = reporter.states();
    progress.comes(7, OTHER, 100);
    progress.came(7, 20, false);
    progress.brokeOff(7);
    progress.brokeOff(8); // of which nothing is known
    List<RecordedEvent> states = recorded("StateTransfer", "broken");
    assertThat(states).hasSize(1);
    assertThat(states.getFirst().getLong("bytes")).isEqualTo(20);
    assertThat(states.getFirst().getBoolean("complete")).isFalse();
    progress.goes(7, OTHER);
    progress.gave(7, 30, false);
    progress.gaveUp(7, "it has gone");
    assertThat(recorded("StateTransfer", "broken"))
        .last()
        .satisfies(event -> {
          assertThat(event.getString("donor")).isEqualTo("n1");
          assertThat(event.getString("newcomer")).isEqualTo("n2");
          assertThat(event.getLong("bytes")).isEqualTo(30);
          assertThat(event.getBoolean("complete")).isFalse();
        });
  }
}
