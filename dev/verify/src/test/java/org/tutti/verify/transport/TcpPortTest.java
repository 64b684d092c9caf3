package org.tutti.verify.transport;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.tutti.fixture.RawPackets;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.tls.Credentials;
import org.tutti.transport.Address;

final class TcpPortTest extends TlsPortContract {
  @Override
  OpenPort open(@Nullable Credentials tls) throws IOException {
    TcpConfig config = TcpConfig.lan().withSocketDirectory(null);
    return new Polled(TcpTransport.open(new Address("127.0.0.1:0"), null, config, tls)) {
      @Override
      public byte[] question() {
        return RawPackets.preamble(new Address("127.0.0.1:9"), station.address());
      }
    };
  }
}
