package org.tutti.host;

import java.util.concurrent.atomic.AtomicInteger;
import org.tutti.fixture.GroupContract;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.memory.InProcess;

class InProcessGroupTest extends GroupContract {
  private final InProcess hub = new InProcess();
  private final AtomicInteger opened = new AtomicInteger();

  @Override
  protected Transport open() {
    return hub.open(new Address("here:" + opened.incrementAndGet()));
  }
}
