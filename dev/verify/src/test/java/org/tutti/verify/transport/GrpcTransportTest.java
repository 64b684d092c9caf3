package org.tutti.verify.transport;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.grpc.GrpcConfig;
import org.tutti.grpc.GrpcTransport;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

final class GrpcTransportTest extends MiddlewareContract {
  @Override
  Transport open(Address listen, @Nullable Address advertised, @Nullable Credentials tls) {
    MiddlewareConfig eager = MiddlewareConfig.lan().withBackoff(Duration.ofMillis(10), Duration.ofMillis(50));
    GrpcConfig config = GrpcConfig.lan().withCommon(eager);
    return GrpcTransport.open(listen, advertised, tls == null ? config : config.withTls(tls));
  }

  @Override
  String strangersCountedAs() {
    return "closed{reason=foreign-protocol}";
  }
}
