package org.tutti.verify.transport;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.rmi.RmiConfig;
import org.tutti.rmi.RmiTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

final class RmiTransportTest extends MiddlewareContract {
  @Override
  Transport open(Address listen, @Nullable Address advertised, @Nullable Credentials tls) {
    MiddlewareConfig eager = MiddlewareConfig.lan().withBackoff(Duration.ofMillis(10), Duration.ofMillis(50));
    RmiConfig config = RmiConfig.lan().withCommon(eager);
    return RmiTransport.open(listen, advertised, tls == null ? config : config.withTls(tls));
  }

  @Override
  @Nullable String strangersCountedAs() {
    return "closed{reason=foreign-protocol}";
  }
}
