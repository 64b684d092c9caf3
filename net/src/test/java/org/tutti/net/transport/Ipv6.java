package org.tutti.net.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Assumptions;
import org.tutti.transport.Address;

/// Loopback by IPv6, where there is one.
public final class Ipv6 {
  private Ipv6() {}

  /// A free address.
  public static Address loopback() {
    try (ServerSocketChannel probe = ServerSocketChannel.open()) {
      probe.bind(new InetSocketAddress("::1", 0));
    } catch (IOException e) {
      Assumptions.abort("no IPv6 here: " + e.getMessage());
    }
    return new Address("[::1]:0");
  }
}
