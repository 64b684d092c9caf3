package org.tutti.corba;

import java.nio.file.Path;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.net.tls.Credentials;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Offers [IiopTransport] as `iiop`.
public final class IiopProvider implements TransportProvider {
  /// For the service loader.
  public IiopProvider() {}

  @Override
  public String name() {
    return "iiop";
  }

  @Override
  public Transport open(TransportSettings settings) {
    return IiopTransport.open(settings, MiddlewareConfig.lan());
  }

  @Override
  public void requireCertificates(Path tls, String cluster) throws TransportException {
    Credentials.require(tls, cluster);
  }
}
