package org.tutti.bench;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;

/// A transport whose frames travel longer: each is handed over a constant time after it has arrived, in the order of
/// arrival. The time is the machine's, so nothing here is faster than it would be over a link of that length.
final class DistantTransport implements Transport {
  private record Travelling(long dueNanos, ByteBuffer frame) {}

  private final Transport transport;
  private final Distance distance;
  private final ArrayDeque<Travelling> travelling = new ArrayDeque<>();
  private @Nullable Receiver receiver;

  /// Makes a transport longer.
  ///
  /// @param transport carries the frames
  /// @param distance  how far, and rings when a frame is due
  DistantTransport(Transport transport, Distance distance) {
    this.transport = transport;
    this.distance = distance;
  }

  @Override
  public void start(Receiver to) {
    receiver = to;
    transport.start(
        new Receiver() {
          @Override
          public void onFrame(ByteBuffer frame) {
            long due = distance.dueNanos();
            travelling.add(new Travelling(due, ByteBuffer.allocate(frame.remaining()).put(frame).flip()));
            distance.ring(due, transport::wakeup);
          }

          @Override
          public void onReady(Address peer) {
            to.onReady(peer);
          }
        });
  }

  @Override
  public void poll(long waitNanosMax) {
    // What is due when the wait begins needs no bell: the turn that follows the poll handles it.
    transport.poll(isDue() ? 0 : waitNanosMax);
    while (receiver != null && isDue()) {
      receiver.onFrame(travelling.remove().frame);
    }
  }

  private boolean isDue() {
    Travelling first = travelling.peek();
    return first != null && first.dueNanos <= System.nanoTime();
  }

  @Override
  public @Nullable ByteBuffer claim(Address to, int length) {
    return transport.claim(to, length);
  }

  @Override
  public void commit() {
    transport.commit();
  }

  @Override
  public Traits traits() {
    return transport.traits();
  }

  @Override
  public Address address() {
    return transport.address();
  }

  @Override
  public void wakeup() {
    transport.wakeup();
  }

  @Override
  public List<Metric> metrics() {
    return transport.metrics();
  }

  @Override
  public void close() {
    transport.close();
  }
}
