package org.tutti.verify.transport;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.tutti.middleware.Middleware;
import org.tutti.transport.Address;
import org.tutti.transport.TransportException;

/// A middleware without a network: a call is a call of a method. Shows what a transport over a middleware does by
/// itself.
final class InMemoryMiddleware {
  private final Map<Address, Line> lines = new ConcurrentHashMap<>();

  /// How many calls were opened and not closed yet.
  final AtomicInteger open = new AtomicInteger();

  /// What each call throws, besides nothing.
  volatile @Nullable RuntimeException bug;

  Line at(Address address) {
    Line line = new Line(address);
    if (lines.putIfAbsent(address, line) != null) {
      throw new TransportException("cannot listen on " + address + ": address already in use");
    }
    return line;
  }

  /// Hands bytes to whoever has an address, as a stranger would.
  boolean send(Address to, byte[] batch) {
    Line line = lines.get(to);
    Middleware.Arrivals arrivals = line == null ? null : line.arrivals;
    return arrivals != null && arrivals.take(batch);
  }

  final class Line implements Middleware {
    private final Address address;
    private volatile Middleware.@Nullable Arrivals arrivals;

    Line(Address address) {
      this.address = address;
    }

    @Override
    public String name() {
      return "memory";
    }

    @Override
    public Address address() {
      return address;
    }

    @Override
    public void start(Middleware.Arrivals to) {
      arrivals = to;
    }

    @Override
    public Middleware.Call dial(Address peer) throws IOException {
      if (peer.text().startsWith("?")) {
        throw new Middleware.UnusableAddressException(peer);
      }
      Line line = lines.get(peer);
      if (line == null) {
        throw new IOException("nobody at " + peer);
      }
      open.incrementAndGet();
      return new Middleware.Call() {
        @Override
        public void send(byte[] batch) throws IOException {
          RuntimeException failure = bug;
          if (failure != null) {
            throw failure;
          }
          if (lines.get(peer) != line || line.arrivals == null) {
            throw new IOException(peer + " has gone");
          }
          InMemoryMiddleware.this.send(peer, batch);
        }

        @Override
        public void close() {
          open.decrementAndGet();
        }
      };
    }

    @Override
    public void close() {
      lines.remove(address, this);
    }
  }
}
