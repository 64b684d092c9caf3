package org.tutti.net.group;

import java.io.IOException;
import org.tutti.fixture.GroupContract;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

class UdpGroupTest extends GroupContract {
  @Override
  protected Transport open() throws IOException {
    return UdpTransport.open(new Address("127.0.0.1:0"), UdpConfig.lan());
  }
}
