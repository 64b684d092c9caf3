package org.tutti.verify.transport;

import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.memory.InProcess;

final class InProcessTransportTest extends TransportContract {
  private final InProcess hub = new InProcess();

  @Override
  Transport open(Address address) {
    return hub.open(address);
  }

  @Override
  Address unused(String name) {
    return new Address(name);
  }
}
