package org.tutti.verify.transport;

import java.io.IOException;
import org.tutti.net.UdpConfig;
import org.tutti.net.UdpTransport;
import org.tutti.transport.Address;

final class UdpIpv6Test extends TransportContract {
  @Override
  UdpTransport open(Address address) throws IOException {
    return UdpTransport.open(address, UdpConfig.lan());
  }

  @Override
  Address unused(String name) {
    return Ipv6.loopback();
  }
}
