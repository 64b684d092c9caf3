package org.tutti.verify.host;

import java.io.IOException;
import org.tutti.fixture.GroupContract;
import org.tutti.rmi.RmiConfig;
import org.tutti.rmi.RmiTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

class RmiGroupTest extends GroupContract {
  @Override
  protected Transport open() throws IOException {
    return RmiTransport.open(new Address("127.0.0.1:0"), RmiConfig.lan());
  }
}
