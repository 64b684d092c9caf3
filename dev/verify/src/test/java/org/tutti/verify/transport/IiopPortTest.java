package org.tutti.verify.transport;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.tutti.corba.IiopConfig;
import org.tutti.corba.IiopMiddleware;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.middleware.MiddlewareTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;

final class IiopPortTest extends TlsPortContract {
  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    MiddlewareConfig common = MiddlewareConfig.lan();
    IiopConfig config = IiopConfig.lan(common.batchBytesMax());
    Address here = new Address("127.0.0.1:0");
    return new Polled(
        new MiddlewareTransport(IiopMiddleware.open(here, null, tls == null ? config : config.withTls(tls)), common)) {
      @Override
      public byte[] question() {
        return IiopRequest.isA("IDL:tutti.org/Peer:1.0");
      }
    };
  }
}
