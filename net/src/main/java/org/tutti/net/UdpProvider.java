package org.tutti.net;

import java.io.IOException;
import java.nio.file.Path;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Offers [UdpTransport] as `udp`; with keys if the system property `tutti.udp.key` names a file with some, with
/// multicasts if `tutti.udp.multicast` says where, as `GROUP:PORT@INTERFACE`, and with a system call for each datagram
/// if `tutti.udp.trains` is `false`.
public final class UdpProvider implements TransportProvider {
  private static final String KEY = "tutti.udp.key";
  private static final String MULTICAST = "tutti.udp.multicast";
  private static final String TRAINS = "tutti.udp.trains";

  /// For the service loader.
  public UdpProvider() {}

  @Override
  public String name() {
    return "udp";
  }

  @Override
  public Transport open(TransportSettings settings) {
    String where = System.getProperty(MULTICAST);
    String file = System.getProperty(KEY);
    try {
      UdpConfig config = UdpConfig.lan().withTrains(!"false".equals(System.getProperty(TRAINS)));
      config = file == null ? config : config.withKeys(UdpKeys.follow(Path.of(file)));
      config = where == null ? config : config.withMulticast(UdpMulticast.parse(where));
      return UdpTransport.open(settings.listen(), settings.advertised(), config);
    } catch (IOException e) {
      throw new TransportException("no key", e);
    } catch (IllegalArgumentException e) {
      throw new TransportException(MULTICAST + ": " + e.getMessage());
    }
  }
}
