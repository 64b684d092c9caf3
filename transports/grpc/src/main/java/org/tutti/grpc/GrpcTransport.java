package org.tutti.grpc;

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

/// Carries frames over gRPC: a [MiddlewareTransport] with one bidirectional stream per peer, whose messages are byte
/// arrays. There is no protobuf and no generated code.
///
/// Addresses are `host:port` with a literal host, `127.0.0.1:7001` or `[::1]:7001`.
public final class GrpcTransport {
  private GrpcTransport() {}

  /// Listens on an address.
  ///
  /// @param listen the host, a literal or a name that is looked up now, and the port, where 0 lets the kernel choose
  /// @param config the settings
  /// @return a transport whose address tells the host literal and the actual port
  /// @throws TransportException when that is not possible, with the reason in one line
  public static Transport open(Address listen, GrpcConfig config) {
    return open(listen, null, config);
  }

  /// Listens on an address that peers know by another one, because something between passes their connections on.
  ///
  /// @param listen     the host and the port, as in [#open(Address, GrpcConfig)]
  /// @param advertised the literal host and the port where peers connect to; null for those listened on
  /// @param config     the settings
  /// @return a transport whose address is the advertised one
  /// @throws TransportException when that is not possible, with the reason in one line
  public static Transport open(Address listen, @Nullable Address advertised, GrpcConfig config) {
    Endpoint wish = Endpoint.resolve(listen);
    Endpoint shown = advertised == null ? null : Endpoint.advertised(advertised);
    return new MiddlewareTransport(GrpcMiddleware.open(listen, wish, shown, config), config.common());
  }

  /// Offers [GrpcTransport] as `grpc`.
  public static final class Provider implements TransportProvider {
    /// For the service loader.
    public Provider() {}

    @Override
    public String name() {
      return "grpc";
    }

    @Override
    public Transport open(TransportSettings settings) {
      TransportSettings checked = settings.refuseStrangers();
      GrpcConfig config = GrpcConfig.lan();
      if (settings.tls() != null) {
        config = config.withTls(Credentials.of(settings.tls()));
      }
      return GrpcTransport.open(checked.listen(), checked.advertised(), config);
    }

    @Override
    public void requireCertificates(Path tls, String cluster) throws TransportException {
      Credentials.require(tls, cluster);
    }
  }
}
