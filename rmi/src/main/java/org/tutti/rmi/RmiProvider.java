package org.tutti.rmi;

import java.nio.file.Path;
import org.tutti.net.tls.Credentials;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Offers [RmiTransport] as `rmi`.
public final class RmiProvider implements TransportProvider {
  /// For the service loader.
  public RmiProvider() {}

  @Override
  public String name() {
    return "rmi";
  }

  @Override
  public Transport open(TransportSettings settings) {
    TransportSettings checked = settings.refuseStrangers();
    RmiConfig config = RmiConfig.lan();
    if (settings.tls() != null) {
      config = config.withTls(Credentials.of(settings.tls()));
    }
    return RmiTransport.open(checked.listen(), checked.advertised(), config);
  }

  @Override
  public void requireCertificates(Path tls, String cluster) throws TransportException {
    Credentials.require(tls, cluster);
  }
}
