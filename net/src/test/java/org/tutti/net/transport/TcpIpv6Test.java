package org.tutti.net.transport;

import java.io.IOException;
import org.tutti.fixture.TransportContract;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;

final class TcpIpv6Test extends TransportContract {
  @Override
  protected TcpTransport open(Address address) throws IOException {
    return TcpTransport.open(address, TcpConfig.lan().withSocketDirectory(null));
  }

  @Override
  protected Address unused(String name) {
    return Ipv6.loopback();
  }
}
