package org.tutti.net.discovery;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;

/// All hosts that a name stands for, with one port: the A and AAAA records of a name, such as that of a headless
/// service of Kubernetes, or what the host's own tables say.
///
/// The JDK looks the name up and remembers the answer for a while: the security properties `networkaddress.cache.ttl`
/// and `networkaddress.cache.negative.ttl` say for how long.
public final class HostDiscovery implements Discovery {
  private static final int PORT_MAX = 0xffff;

  private final String host;
  private final int port;

  /// Names the hosts.
  ///
  /// @param host a name, or a literal address
  /// @param port the port at which nodes listen on each of them, 1 to 65535
  public HostDiscovery(String host, int port) {
    if (port < 1 || port > PORT_MAX) {
      throw new IllegalArgumentException("a port is 1 to " + PORT_MAX + ", not " + port);
    }
    this.host = host;
    this.port = port;
  }

  @Override
  public List<Address> find() throws IOException {
    return lookUp(host, port);
  }

  static List<Address> lookUp(String host, int port) throws IOException {
    try {
      var found = new ArrayList<Address>();
      for (InetAddress each : InetAddress.getAllByName(host)) {
        found.add(address(each, port));
      }
      return found;
    } catch (UnknownHostException e) {
      throw new IOException("unknown host '" + host + "'", e);
    }
  }

  static Address address(InetAddress host, int port) {
    String literal = host.getHostAddress();
    return new Address((literal.indexOf(':') < 0 ? literal : "[" + literal + "]") + ":" + port);
  }
}
