package org.tutti.verify.transport;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.tutti.rmi.RmiConfig;
import org.tutti.rmi.RmiTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;

final class RmiPortTest extends TlsPortContract {
  private static final byte[] CALL = {'J', 'R', 'M', 'I', 0, 2, 0x4b}; // version 2, the protocol of streams

  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    RmiConfig config = RmiConfig.lan();
    return new Polled(RmiTransport.open(new Address("127.0.0.1:0"), null, tls == null ? config : config.withTls(tls))) {
      @Override
      public byte[] question() {
        return CALL.clone();
      }
    };
  }
}
