package org.tutti.spi;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;

/// Which connections of others a listening port keeps, so that those who connect and say nothing shut it for nobody.
///
/// ```
///  admit --> stranger -- greeted --> known      at most `most` together: when a further one comes, the oldest stranger
///               |                               is closed; when there is no stranger, the new one is refused
///               +-- its time is over: closed
/// ```
///
/// The time of a stranger covers its first words and, with TLS, its handshake, however slowly its bytes come. What
/// makes a stranger known its port decides: something that an honest client says at once. All threads may use this.
///
/// @param <C> the connections; one may be closed while others use it, and closing it twice does nothing
public final class Admission<C extends Closeable> implements AutoCloseable {
  private final int most;
  private final long patienceNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();

  // All guarded by the lock.
  private final Map<C, Long> strangers = new LinkedHashMap<>(); // oldest first, until when they may be strangers
  private final Set<C> known = new HashSet<>();
  private boolean watched; // a thread waits for the end of the oldest stranger's time
  private boolean closed;
  private long crowdedOut;
  private long late;
  private long refused;

  /// Makes one for a port.
  ///
  /// @param most     how many connections there may be at once
  /// @param patience how long one may be a stranger
  public Admission(int most, Duration patience) {
    if (most <= 0 || !patience.isPositive()) {
      throw new IllegalArgumentException("at least one connection, and some time");
    }
    this.most = most;
    this.patienceNanos = patience.toNanos();
  }

  /// A connection was accepted.
  ///
  /// @param connection a stranger from now on, until it is [#greeted] or has [#left]
  /// @return false when the caller has to close it
  public boolean admit(C connection) {
    C yields = null;
    lock.lock();
    try {
      if (closed || known.size() >= most) {
        refused += closed ? 0 : 1;
        return false;
      }
      if (strangers.size() + known.size() >= most) {
        yields = strangers.keySet().iterator().next();
        strangers.remove(yields);
        crowdedOut++;
      }
      strangers.put(connection, System.nanoTime() + patienceNanos);
      if (!watched) {
        watched = true;
        Thread.ofVirtual().name("tutti-strangers").start(this::watch);
      }
    } finally {
      lock.unlock();
    }
    if (yields != null) {
      end(yields);
    }
    return true;
  }

  /// A connection has said what an honest client says.
  ///
  /// @param connection known from now on, if it was a stranger
  public void greeted(C connection) {
    lock.lock();
    try {
      if (strangers.remove(connection) != null) {
        known.add(connection);
      }
    } finally {
      lock.unlock();
    }
  }

  /// A connection is closed, or will be closed by the caller now.
  ///
  /// @param connection forgotten from now on
  public void left(C connection) {
    lock.lock();
    try {
      strangers.remove(connection);
      known.remove(connection);
    } finally {
      lock.unlock();
    }
  }

  /// A connection's time as a stranger is over, as whoever reads from it has seen. It is counted once, here or when it
  /// is closed for that.
  ///
  /// @param connection forgotten from now on, if it was a stranger; the caller closes it
  public void expired(C connection) {
    lock.lock();
    try {
      if (strangers.remove(connection) != null) {
        late++;
      }
    } finally {
      lock.unlock();
    }
  }

  /// Closes all connections, and admits none any more.
  @Override
  public void close() {
    List<C> all;
    lock.lock();
    try {
      closed = true;
      all = new ArrayList<>(strangers.keySet());
      all.addAll(known);
      strangers.clear();
      known.clear();
      news.signalAll();
    } finally {
      lock.unlock();
    }
    all.forEach(Admission::end);
  }

  /// How many strangers had to make room for others.
  ///
  /// @return a count since the beginning
  public long crowdedOut() {
    return read(() -> crowdedOut);
  }

  /// How many were strangers for too long.
  ///
  /// @return a count since the beginning
  public long late() {
    return read(() -> late);
  }

  /// How many were refused, because all others were known.
  ///
  /// @return a count since the beginning
  public long refused() {
    return read(() -> refused);
  }

  /// The same three as metrics.
  ///
  /// @param layer of the port: the first word of their name, such as `rmi`
  /// @return connections that were closed, by reason
  public List<Metric> metrics(String layer) {
    return List.of(
        closed(layer, "too-many", "There were too many active connections.", refused()),
        closed(layer, "crowded-out", "A silent connection was closed for a newer one.", crowdedOut()),
        closed(layer, "greeting-timeout", "The first message did not come in time.", late()));
  }

  private static Metric closed(String layer, String reason, String about, long value) {
    return Metric.counter(layer + ".connections.closed", about).tagged("reason", reason).with(value);
  }

  private long read(LongSupplier count) {
    lock.lock();
    try {
      return count.getAsLong();
    } finally {
      lock.unlock();
    }
  }

  /// Closes strangers whose time is over; ends when there is none.
  private void watch() {
    for (C over = next(); over != null; over = next()) {
      end(over);
    }
  }

  /// Waits until the time of the oldest stranger is over.
  private @Nullable C next() {
    lock.lock();
    try {
      while (!strangers.isEmpty()) {
        Map.Entry<C, Long> oldest = strangers.entrySet().iterator().next();
        long left = oldest.getValue() - System.nanoTime();
        if (left <= 0) {
          strangers.remove(oldest.getKey());
          late++;
          return oldest.getKey();
        }
        news.awaitNanos(left);
      }
      watched = false;
      return null;
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts this thread", e);
    } finally {
      lock.unlock();
    }
  }

  private static void end(Closeable connection) {
    try {
      connection.close();
    } catch (IOException _) {
      // The descriptor is released in any case.
    }
  }
}
