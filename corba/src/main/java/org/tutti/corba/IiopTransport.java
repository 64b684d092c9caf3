package org.tutti.corba;

import org.tutti.middleware.MiddlewareConfig;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportSettings;

/// Frames over CORBA's IIOP: a [MiddlewareTransport] over an [IiopMiddleware].
///
/// There is no TLS here: who a peer says it is gets believed, so only loopback addresses are listened on unless the
/// settings say that the network keeps strangers out.
public final class IiopTransport {
  private IiopTransport() {}

  /// Opens a node's transport.
  ///
  /// @param settings where to listen, as `host:port`
  /// @param config   bounds and times of queues and batches
  /// @return the transport
  /// @throws TransportException when it cannot or must not listen there
  public static Transport open(TransportSettings settings, MiddlewareConfig config) throws TransportException {
    if (settings.tls() != null) {
      throw new TransportException("no TLS over IIOP: give no certificates, or use another transport");
    }
    TransportSettings checked =
        settings.refuseStrangers("over IIOP on loopback only, unless insecure networks are allowed");
    IiopConfig iiop = IiopConfig.lan(config.batchBytesMax());
    return new MiddlewareTransport(IiopMiddleware.open(checked.listen(), checked.advertised(), iiop), config);
  }
}
