package org.tutti.verify.host;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.Metric;
import org.tutti.transport.Address;
import org.tutti.transport.Receiver;
import org.tutti.transport.Traits;
import org.tutti.transport.Transport;

/// Sockets on which frames to some peers get lost.
final class PartitionableTransport implements Transport {
  private final Transport sockets;
  private volatile Set<Address> cut = Set.of();
  private volatile Set<Address> shortOnly = Set.of();
  private volatile int longest;
  private boolean lost;

  PartitionableTransport(Transport sockets) {
    this.sockets = sockets;
  }

  void cut(Set<Address> peers) {
    cut = Set.copyOf(peers);
  }

  /// Lets only short frames pass, such as signs of life.
  ///
  /// @param most their longest, in bytes
  /// @param to   where this applies
  void passOnlyShort(int most, Set<Address> to) {
    longest = most;
    shortOnly = Set.copyOf(to);
  }

  @Override
  public @Nullable ByteBuffer claim(Address to, int length) {
    lost = cut.contains(to) || length > longest && shortOnly.contains(to);
    return lost ? ByteBuffer.allocate(length) : sockets.claim(to, length);
  }

  @Override
  public void commit() {
    if (!lost) {
      sockets.commit();
    }
  }

  @Override
  public Traits traits() {
    return sockets.traits();
  }

  @Override
  public Address address() {
    return sockets.address();
  }

  @Override
  public void start(Receiver receiver) {
    sockets.start(receiver);
  }

  @Override
  public void poll(long waitNanosMax) {
    sockets.poll(waitNanosMax);
  }

  @Override
  public void wakeup() {
    sockets.wakeup();
  }

  @Override
  public List<Metric> metrics() {
    return sockets.metrics();
  }

  @Override
  public void close() {
    sockets.close();
  }
}
