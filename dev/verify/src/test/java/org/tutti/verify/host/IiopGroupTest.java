package org.tutti.verify.host;

import java.io.IOException;
import org.tutti.corba.IiopTransport;
import org.tutti.fixture.GroupContract;
import org.tutti.middleware.MiddlewareConfig;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportSettings;

class IiopGroupTest extends GroupContract {
  @Override
  protected Transport open() throws IOException {
    return IiopTransport.open(TransportSettings.at(new Address("127.0.0.1:0")), MiddlewareConfig.lan());
  }
}
