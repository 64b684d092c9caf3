package org.tutti.lab.network;

import java.io.IOException;
import java.util.List;

/// One host that does not exist, on one that does: a network namespace with nothing but its loopback interface, to
/// which all IPv4 multicasts go. So processes inside reach each other by multicast, and nobody else.
///
/// ```
/// try (MulticastLoopback host = MulticastLoopback.open()) {
///   new ProcessBuilder(join(host.inside(), "java", ...)) ...
/// }
/// ```
public final class MulticastLoopback implements AutoCloseable {
  private final Namespaces namespaces = Namespaces.removedAtEnd();

  private MulticastLoopback() {}

  /// Makes it.
  ///
  /// @return ready for processes
  /// @throws Unavailable when it cannot be had here, such as without root
  public static MulticastLoopback open() throws Unavailable {
    Namespaces.require();
    var host = new MulticastLoopback();
    Namespaces.build(host::build, host::close);
    return host;
  }

  private void build() throws IOException {
    Iproute.batch(namespaces.add("loopback"), List.of("link set lo multicast on up", "route add 224.0.0.0/4 dev lo"));
  }

  /// The beginning of a command that runs another one inside; the process keeps its id.
  ///
  /// @return the words before the other command's
  public List<String> inside() {
    return namespaces.at(0);
  }

  /// Removes it. What still runs inside keeps a world of its own.
  @Override
  public void close() {
    namespaces.close();
  }
}
