package org.tutti.verify.transport;

import org.tutti.transport.Address;
import org.tutti.transport.InProcess;
import org.tutti.transport.Transport;

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
