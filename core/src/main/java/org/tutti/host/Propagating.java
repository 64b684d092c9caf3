package org.tutti.host;

import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.pack.Batch;
import org.tutti.user.Exchange;

/// This member's part in exchanges with the other members of its view ([org.tutti.Group#propagate]).
///
/// It speaks and listens where the engine thread is in the history, so nobody waits for an application that is slow to
/// take events. But an exchange is under way until the application has taken its event: whether a call begins one then
/// depends on the events before it only, which are the same at all members, not on how fast these are taken.
final class Propagating {
  private final Window window;
  private final ReentrantLock lock = new ReentrantLock();
  private final Exchange exchange; // guarded by lock, as are the next
  private byte @Nullable [] payload; // to be said in each view, until everybody has spoken in one
  private boolean underWay;

  Propagating(MemberId self, Window window) {
    this.exchange = new Exchange(self);
    this.window = window;
  }

  /// Begins an exchange, unless one is under way.
  boolean begin(byte[] message) {
    lock.lock();
    try {
      window.requireOpen();
      boolean begins = !underWay;
      if (begins) {
        underWay = true;
        payload = message.clone();
        speak();
      }
      return begins;
    } finally {
      lock.unlock();
    }
  }

  private void speak() {
    byte[] message = payload;
    if (message != null && exchange.isToSpeak()) {
      window.propagate(exchange.message(message));
      exchange.said();
    }
  }

  /// A view is installed; what was said before does not count in it. Called by the engine thread, as is the next.
  void install(View view) {
    lock.lock();
    try {
      exchange.begin(view);
      speak();
    } finally {
      lock.unlock();
    }
  }

  /// Messages of a member have their place.
  ///
  /// @return the end of the exchange, if they are the last ones
  Event.@Nullable Propagated arrived(Batch batch) {
    lock.lock();
    try {
      for (Batch.Messages each = batch.messages(); each.hasNext(); ) {
        exchange.arrived(batch.sender(), each.next());
      }
      if (payload == null || !exchange.isComplete()) {
        return null;
      }
      payload = null;
      return new Event.Propagated(exchange.view(), exchange.finish());
    } finally {
      lock.unlock();
    }
  }

  /// The application takes the event.
  void taken() {
    lock.lock();
    try {
      underWay = false;
    } finally {
      lock.unlock();
    }
  }
}
