package org.tutti.bench;

import java.util.NavigableMap;
import java.util.TreeMap;
import org.tutti.net.TcpConfig;
import org.tutti.net.TcpTransport;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// The TCP transport as two kinds: on one host it takes Unix domain sockets unless it has no place for them.
///
/// @param name   `tcp` or `unix`
/// @param config the settings
record Sockets(String name, TcpConfig config) implements TransportProvider {
  @Override
  public Transport open(TransportSettings settings) {
    return TcpTransport.open(settings.listen(), settings.advertised(), config);
  }

  /// All transports of this process, with TCP and Unix domain sockets told apart.
  static NavigableMap<String, TransportProvider> andAllOthers() {
    var all = new TreeMap<>(TransportProvider.installed());
    all.put("tcp", new Sockets("tcp", TcpConfig.lan().withSocketDirectory(null)));
    all.put("unix", new Sockets("unix", TcpConfig.lan()));
    return all;
  }
}
