package org.tutti.net;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.net.tls.Credentials;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Offers [TcpTransport] as `tcp`, with Unix domain sockets between nodes of one user on one host.
public final class TcpProvider implements TransportProvider {
  /// For the service loader.
  public TcpProvider() {}

  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public Transport open(TransportSettings settings) throws TransportException {
    TcpConfig config = settings.insecure() ? TcpConfig.lan().withInsecure() : TcpConfig.lan();
    return TcpTransport.open(settings.listen(), settings.advertised(), config, credentials(settings.tls()));
  }

  @Override
  public boolean protects() {
    return true;
  }

  private static @Nullable Credentials credentials(@Nullable Path directory) throws TransportException {
    try {
      return directory == null ? null : Credentials.load(directory);
    } catch (IOException e) {
      throw new TransportException("no TLS: " + e.getMessage());
    }
  }
}
