package org.tutti.corba;

import java.nio.file.Path;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Frames over CORBA's IIOP: a [MiddlewareTransport] over an [IiopMiddleware].
///
/// Without certificates who a peer says it is gets believed, so only loopback addresses are listened on then, unless
/// the settings say that the network keeps strangers out.
public final class IiopTransport {
  private IiopTransport() {}

  /// Opens a node's transport.
  ///
  /// @param settings where to listen, as `host:port`
  /// @param config   bounds and times of queues and batches
  /// @return the transport
  /// @throws TransportException when it cannot or must not listen there
  public static Transport open(TransportSettings settings, MiddlewareConfig config) {
    TransportSettings checked = settings.refuseStrangers();
    IiopConfig plain = IiopConfig.lan(config.batchBytesMax());
    IiopConfig iiop = checked.tls() == null ? plain : plain.withTls(Credentials.of(checked.tls()));
    return new MiddlewareTransport(IiopMiddleware.open(checked.listen(), checked.advertised(), iiop), config);
  }

  /// Offers [IiopTransport] as `iiop`.
  public static final class Provider implements TransportProvider {
    /// For the service loader.
    public Provider() {}

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
}
