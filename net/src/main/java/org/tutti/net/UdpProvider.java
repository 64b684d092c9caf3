package org.tutti.net;

import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Offers [UdpTransport] as `udp`.
public final class UdpProvider implements TransportProvider {
  /// For the service loader.
  public UdpProvider() {}

  @Override
  public String name() {
    return "udp";
  }

  @Override
  public Transport open(TransportSettings settings) throws TransportException {
    return UdpTransport.open(settings.listen(), settings.advertised(), UdpConfig.lan());
  }
}
