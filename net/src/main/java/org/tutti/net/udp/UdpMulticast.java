package org.tutti.net.udp;

import org.jspecify.annotations.Nullable;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;

/// Where a [UdpTransport] multicasts: what goes to several peers alike leaves as one datagram.
///
/// @param group  the group's literal address and port, such as `239.192.0.7:7400`: the same at all members, and for
///               nothing else on their segment
/// @param device the interface, such as `eth0`; multicasts leave through it and are taken from it only
public record UdpMulticast(Address group, String device) {
  /// Checks the group.
  public UdpMulticast {
    Endpoint endpoint = Endpoint.ofLiteral(group);
    if (endpoint == null || !endpoint.inet().isMulticastAddress() || endpoint.port() == 0) {
      throw new IllegalArgumentException("not a multicast group with a port: " + group);
    }
  }

  /// Reads `GROUP:PORT@INTERFACE`.
  ///
  /// @param text such as `239.192.0.7:7400@eth0`
  /// @return the same
  /// @throws IllegalArgumentException when it is not of that form
  public static UdpMulticast parse(String text) {
    int at = text.indexOf('@');
    if (at < 1 || at == text.length() - 1) {
      throw new IllegalArgumentException("'" + text + "' is not of the form GROUP:PORT@INTERFACE");
    }
    return new UdpMulticast(new Address(text.substring(0, at)), text.substring(at + 1));
  }

  Endpoint endpoint() {
    @Nullable Endpoint endpoint = Endpoint.ofLiteral(group);
    if (endpoint == null) {
      throw new IllegalStateException(); // was checked
    }
    return endpoint;
  }
}
