package org.tutti.verify.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.View;

/// What a test waits for in a group's events; when nothing comes, it fails and says in which group.
final class Awaited {
  private static final Duration SOON = Duration.ofSeconds(60);

  private Awaited() {}

  /// The next event; [Event.CaughtUp] is passed over.
  static Event next(Group group) throws InterruptedException {
    Event event = group.receive(SOON);
    while (event instanceof Event.CaughtUp) {
      event = group.receive(SOON);
    }
    assertThat(event).as("next event of " + group.self()).isNotNull();
    return event;
  }

  /// The next event of a kind; drops what comes before.
  static <E extends Event> E next(Group group, Class<E> type) throws InterruptedException {
    Event event = next(group);
    while (!type.isInstance(event)) {
      event = next(group);
    }
    return type.cast(event);
  }

  /// Drops what came before.
  static View untilViewOf(Group group, int size) throws InterruptedException {
    while (true) {
      if (next(group) instanceof Event.ViewChange(View view) && view.size() == size) {
        return view;
      }
    }
  }

  /// Returns when a newcomer has all of the history that is before it. Until then it counts deliveries as consumed that
  /// its application has not got.
  static void untilServing(Group group) {
    Instant end = Instant.now().plus(SOON);
    while (!group.status().isServing()) {
      assertThat(Instant.now()).as("not serving: " + group.status()).isBefore(end);
      Thread.onSpinWait();
    }
  }
}
