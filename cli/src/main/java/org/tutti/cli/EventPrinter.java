package org.tutti.cli;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Service;
import org.tutti.Status;
import org.tutti.View;

/// Prints what happens in a group until the membership ends; while a member that keeps a history waits for others, for
/// whom.
final class EventPrinter {
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);

  private final Session session;
  private final Output out;
  private boolean first = true;
  private boolean primary;
  private String said = "";
  private long printed; // the position behind the last delivery that was printed
  private long kept; // up to where that is known to the group

  EventPrinter(Session session, Output out) {
    this.session = session;
    this.out = out;
  }

  void follow(Duration firstViewWithin) throws InterruptedException {
    Group group = session.group();
    Event event = group.receive(firstViewWithin);
    if (event == null) {
      throw session.nobodyAnswers();
    }
    while (!(event instanceof Event.Closed closed)) {
      print(event);
      event = next(group);
    }
    if (!session.isSignalled()) {
      throw session.ended(closed.end());
    }
    out.line(
        "closed: " + closed.end().words(),
        "closed",
        "cause",
        WordConverter.word(closed.end().cause()),
        "words",
        closed.end().words());
    out.flush();
  }

  private Event next(Group group) throws InterruptedException {
    Event event = group.receive(Duration.ZERO);
    if (event != null) {
      return event;
    }
    out.flush();
    if (session.isDurable() && printed > kept) {
      group.persisted(printed);
      kept = printed;
    }
    return session.isDurable() || session.isJoint() ? waitAloud(group) : group.receive();
  }

  /// Waits for the next event, and says what the group waits for meanwhile.
  private Event waitAloud(Group group) throws InterruptedException {
    if (primary) {
      return group.receive();
    }
    @Nullable Event event = group.receive(LOOK_EVERY);
    while (event == null) {
      Status status = group.status();
      if (!status.toString().equals(said)) {
        said = status.toString();
        out.line(said, "waiting", "phase", WordConverter.word(status.phase()), "words", said);
        out.flush();
      }
      event = group.receive(LOOK_EVERY);
    }
    return event;
  }

  private void print(Event event) throws InterruptedException {
    switch (event) {
      case Event.ViewChange change -> installed(change.view());
      case Event.Delivery delivery -> {
        out.delivery(delivery);
        if (delivery.service() == Service.TOTAL) {
          printed = Math.max(printed, delivery.position() + 1);
        }
      }
      case Event.CaughtUp _ -> {} // the line of the view says whether it is primary
      // This member has no state: another one must give it.
      case Event.StateRequest request -> request.sink().close();
      case Event.StateOffer _, Event.Propagated _, Event.LocalCall _, Event.Closed _ ->
          throw new IllegalStateException("unexpected: " + event);
    }
  }

  /// Who says where to keep the group's history expects that it is kept.
  private void refuseToKeepNothing() {
    GroupConfig config = Objects.requireNonNull(session.group().config());
    if (session.isDurable() && config.durability() == Durability.NONE) {
      throw new Failure("group \"" + session.group().name() + "\" keeps nothing: leave out --data");
    }
  }

  private void installed(View view) throws InterruptedException {
    if (first && session.isDurable() && session.isCreator() && !view.primary()) {
      out.line("stored history of the group found: continuing it instead of creating the group", "continued");
    }
    if (first) {
      refuseToKeepNothing();
      session.entered();
    }
    first = false;
    primary = view.primary();
    out.view(view);
  }
}
