package org.tutti.net.group;

import org.tutti.Ordering;

class ConsensusTcpGroupTest extends TcpGroupTest {
  @Override
  protected Ordering ordering() {
    return Ordering.CONSENSUS;
  }
}
