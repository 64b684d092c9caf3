package org.tutti.grpc;

import java.nio.file.Path;
import org.tutti.net.tls.Credentials;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportException;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Offers [GrpcTransport] as `grpc`.
public final class GrpcProvider implements TransportProvider {
  /// For the service loader.
  public GrpcProvider() {}

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
