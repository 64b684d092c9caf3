package org.tutti.net;

import java.nio.file.Path;
import org.tutti.net.tls.Credentials;
import org.tutti.transport.Profile;
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
  public Transport open(TransportSettings settings) {
    TcpConfig config = settings.profile() == Profile.WAN ? TcpConfig.wan() : TcpConfig.lan();
    Credentials own = settings.tls() == null ? null : Credentials.of(settings.tls());
    TcpConfig chosen = settings.insecure() ? config.withInsecure() : config;
    return TcpTransport.open(settings.listen(), settings.advertised(), chosen, own);
  }

  @Override
  public void requireCertificates(Path tls, String cluster) throws TransportException {
    Credentials.require(tls, cluster);
  }
}
