package org.tutti.bench.member;

import java.util.NavigableMap;
import java.util.TreeMap;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// The transports that can be measured.
public final class BenchTransports {
  private BenchTransports() {}

  /// The TCP transport as two kinds: on one host it takes Unix domain sockets unless it has no place for them.
  ///
  /// @param name   `tcp` or `unix`
  /// @param config the settings
  private record Sockets(String name, TcpConfig config) implements TransportProvider {
    @Override
    public Transport open(TransportSettings settings) {
      return TcpTransport.open(settings.listen(), settings.advertised(), config);
    }
  }

  /// All there are.
  ///
  /// @return `tcp` without Unix domain sockets, `unix` with them, and the others, by name
  public static NavigableMap<String, TransportProvider> byName() {
    var all = new TreeMap<>(TransportProvider.installed());
    all.put("tcp", new Sockets("tcp", TcpConfig.lan().withSocketDirectory(null)));
    all.put("unix", new Sockets("unix", TcpConfig.lan()));
    return all;
  }
}
