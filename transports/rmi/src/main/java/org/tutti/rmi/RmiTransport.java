package org.tutti.rmi;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Endpoint;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Carries frames over Java RMI: a [MiddlewareTransport] whose calls are calls of a remote object.
///
/// A node's address `host:port` is that of an RMI registry that it runs, in which the object is bound as
/// [#NAME]; the object listens at the same port. A call carries a byte array and nothing else: a serialization filter
/// refuses and counts any other object before it comes into being.
///
/// Peers are called by the address that they are known by; the host that RMI writes into a reference is ignored, so
/// `java.rmi.server.hostname` need not be set.
public final class RmiTransport {
  /// The name in the registry.
  public static final String NAME = "tutti";

  private RmiTransport() {}

  /// Listens on an address.
  ///
  /// @param listen the host, a literal or a name that is looked up now, and the port, where 0 lets the kernel choose
  /// @param config the settings
  /// @return a transport whose address tells the host literal and the actual port
  /// @throws TransportException when that is not possible, with the reason in one line
  public static Transport open(Address listen, RmiConfig config) {
    return open(listen, null, config);
  }

  /// Listens on an address that peers know by another one, because something between passes their connections on.
  ///
  /// @param listen     the host and the port, as in [#open(Address, RmiConfig)]
  /// @param advertised the literal host and the port where peers connect to; null for those listened on
  /// @param config     the settings
  /// @return a transport whose address is the advertised one
  /// @throws TransportException when that is not possible, with the reason in one line
  public static Transport open(Address listen, @Nullable Address advertised, RmiConfig config) {
    Endpoint wish = Endpoint.resolve(listen);
    Endpoint shown = advertised == null ? null : Endpoint.advertised(advertised);
    return new MiddlewareTransport(RmiMiddleware.open(listen, wish, shown, config), config.common());
  }

  /// Offers [RmiTransport] as `rmi`.
  public static final class Provider implements TransportProvider {
    /// For the service loader.
    public Provider() {}

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
}
