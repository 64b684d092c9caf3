package org.tutti.net.group;

import java.io.IOException;
import org.tutti.fixture.GroupContract;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

class UnixGroupTest extends GroupContract {
  @Override
  protected Transport open() throws IOException {
    return TcpTransport.open(new Address("127.0.0.1:0"), TcpConfig.lan());
  }
}
