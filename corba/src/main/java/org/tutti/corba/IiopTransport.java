package org.tutti.corba;

import org.tutti.middleware.MiddlewareConfig;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportSettings;

/// Frames over CORBA's IIOP: a [MiddlewareTransport] over an [IiopMiddleware].
public final class IiopTransport {
  private IiopTransport() {}

  /// Opens a node's transport.
  ///
  /// @param settings where to listen, as `host:port`
  /// @param config   bounds and times of queues and batches
  /// @return the transport
  /// @throws TransportException when it cannot listen there
  public static Transport open(TransportSettings settings, MiddlewareConfig config) throws TransportException {
    IiopConfig iiop = IiopConfig.lan(config.batchBytesMax());
    return new MiddlewareTransport(IiopMiddleware.open(settings.listen(), settings.advertised(), iiop), config);
  }
}
