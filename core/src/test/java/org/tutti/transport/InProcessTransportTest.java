package org.tutti.transport;

import org.tutti.fixture.TransportContract;

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
