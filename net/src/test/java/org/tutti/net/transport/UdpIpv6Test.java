package org.tutti.net.transport;

import java.io.IOException;
import org.tutti.fixture.TransportContract;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;

final class UdpIpv6Test extends TransportContract {
  @Override
  protected UdpTransport open(Address address) throws IOException {
    return UdpTransport.open(address, UdpConfig.lan());
  }

  @Override
  protected boolean keepsOrder() {
    return false;
  }

  @Override
  protected Address unused(String name) {
    return Ipv6.loopback();
  }
}
