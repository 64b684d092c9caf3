package org.tutti.net;

import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Offers [UdpTransport] as `udp`; with multicasts if the system property `tutti.udp.multicast` says where, as
/// `GROUP:PORT@INTERFACE`.
public final class UdpProvider implements TransportProvider {
  private static final String MULTICAST = "tutti.udp.multicast";

  /// For the service loader.
  public UdpProvider() {}

  @Override
  public String name() {
    return "udp";
  }

  @Override
  public Transport open(TransportSettings settings) throws TransportException {
    String where = System.getProperty(MULTICAST);
    try {
      UdpConfig lan = UdpConfig.lan();
      UdpConfig config = where == null ? lan : lan.withMulticast(UdpMulticast.parse(where));
      return UdpTransport.open(settings.listen(), settings.advertised(), config);
    } catch (IllegalArgumentException e) {
      throw new TransportException(MULTICAST + ": " + e.getMessage());
    }
  }
}
