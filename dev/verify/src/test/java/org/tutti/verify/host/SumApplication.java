package org.tutti.verify.host;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.StateSink;
import org.tutti.StateSource;
import org.tutti.View;

/// An application in memory: the sum of the messages of one byte that were delivered, which it gives as its state.
final class SumApplication {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Group group;
  private long sum;
  private View view;
  private boolean offered;
  private boolean closed;

  SumApplication(Group group) {
    this.group = group;
    Thread.startVirtualThread(this::run);
  }

  private void run() {
    try {
      while (!closed) {
        take(group.receive());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void take(Event event) throws IOException {
    switch (event) {
      case Event.Delivery delivery -> sum += delivery.payload().get(0);
      case Event.ViewChange change -> view = change.view();
      case Event.StateRequest(_, StateSink sink) -> {
        try (sink) {
          new DataOutputStream(sink).writeLong(sum);
          sink.complete();
        }
      }
      case Event.StateOffer(_, _, StateSource source) -> {
        offered = true;
        try (source) {
          sum = new DataInputStream(source).readLong();
          source.complete();
        }
      }
      case Event.CaughtUp _, Event.Propagated _, Event.LocalCall _ -> {}
      case Event.Closed _ -> closed = true;
    }
    notifyAll();
  }

  private synchronized void until(BooleanSupplier condition) throws InterruptedException {
    Instant end = Instant.now().plus(SOON);
    while (!condition.getAsBoolean()) {
      long millis = Duration.between(Instant.now(), end).toMillis();
      if (millis <= 0) {
        throw new AssertionError("sum " + sum + " in " + view + ": " + group.status());
      }
      wait(millis);
    }
  }

  void untilSum(long expected) throws InterruptedException {
    until(() -> sum == expected);
  }

  void untilPrimaryOf(int size) throws InterruptedException {
    until(() -> view != null && view.primary() && view.size() == size);
  }

  void untilClosed() throws InterruptedException {
    until(() -> closed);
  }

  /// Whether a state came from another member.
  synchronized boolean wasOffered() {
    return offered;
  }
}
