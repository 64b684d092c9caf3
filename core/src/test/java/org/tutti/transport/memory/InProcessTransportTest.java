package org.tutti.transport.memory;

import org.tutti.fixture.TransportContract;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

final class InProcessTransportTest extends TransportContract {
  private final InProcess hub = new InProcess();

  @Override
  protected Transport open(Address address) {
    return hub.open(address);
  }

  @Override
  protected Address unused(String name) {
    return new Address(name);
  }
}
