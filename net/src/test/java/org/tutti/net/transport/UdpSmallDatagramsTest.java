package org.tutti.net.transport;

import java.io.IOException;
import org.tutti.fixture.TransportContract;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

/// Datagrams as they go over Ethernet.
final class UdpSmallDatagramsTest extends TransportContract {
  @Override
  protected UdpTransport open(Address address) throws IOException {
    return UdpTransport.open(address, UdpConfig.lan().withDatagramBytesMax(1472));
  }

  @Override
  protected boolean keepsOrder() {
    return false;
  }

  @Override
  protected Address unused(String name) {
    return new Address("127.0.0.1:0");
  }
}
