package org.tutti.verify.host;

import org.tutti.Ordering;

class ConsensusTcpGroupTest extends TcpGroupTest {
  @Override
  Ordering ordering() {
    return Ordering.CONSENSUS;
  }
}
