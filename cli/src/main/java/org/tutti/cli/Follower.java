package org.tutti.cli;

import java.time.Duration;
import org.tutti.Event;
import org.tutti.Group;

/// Prints what happens in a group until the membership ends.
final class Follower {
  private final Session session;
  private final Output out;

  Follower(Session session, Output out) {
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
      throw session.ended(closed.reason());
    }
    out.line("closed: " + closed.reason());
    out.flush();
  }

  private Event next(Group group) throws InterruptedException {
    Event event = group.receive(Duration.ZERO);
    if (event != null) {
      return event;
    }
    out.flush();
    return group.receive();
  }

  private void print(Event event) {
    switch (event) {
      case Event.ViewChange change -> out.view(change.view());
      case Event.Delivery delivery -> out.delivery(delivery);
      // This member has no state: another one must give it.
      case Event.StateRequest request -> request.sink().close();
      case Event.StateOffer _, Event.LocalCall _, Event.Closed _ ->
          throw new IllegalStateException("unexpected: " + event);
    }
  }
}
