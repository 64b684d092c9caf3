package org.tutti.replica;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;

/// Asks a [Discovery] where replicas are, whenever a client wants to know: on a thread of its own, one question at a
/// time, and not sooner than a second after the last one, as a client without replicas wants to know it all the time.
///
/// **Threads**: any; nothing here waits for the discovery.
final class ContactLookup {
  private static final long PAUSE_NANOS = 1_000_000_000;

  private final Discovery discovery;
  private final Consumer<List<String>> told;
  private @Nullable Thread asking;
  private boolean asked;
  private long askedAt; // if it was
  private boolean closed;

  /// @param discovery whom to ask
  /// @param told      its answers, on the thread that asks; not told when there is none
  ContactLookup(Discovery discovery, Consumer<List<String>> told) {
    this.discovery = discovery;
    this.told = told;
  }

  /// Begins to ask, unless it is too early.
  synchronized void ask() {
    long now = System.nanoTime();
    if (closed || asking != null || asked && now - askedAt < PAUSE_NANOS) {
      return;
    }
    asked = true;
    askedAt = now;
    asking = Thread.ofVirtual().name("client-finds").start(this::find);
  }

  private void find() {
    try {
      List<Address> found = discovery.find();
      told.accept(found.stream().limit(Discovery.FOUND_MAX).map(Address::text).toList());
    } catch (IOException | InterruptedException _) {
      // What was found before stays in use, and it is asked again.
    } finally {
      if (isOver()) {
        Thread.interrupted(); // must not disturb the farewell
        discovery.close();
      }
    }
  }

  private synchronized boolean isOver() {
    asking = null;
    return closed;
  }

  /// Asks no more, and closes the discovery as soon as it has given its current answer.
  synchronized void close() {
    closed = true;
    if (asking == null) {
      Thread.ofVirtual().name("client-finds").start(discovery::close);
    } else {
      asking.interrupt();
    }
  }
}
