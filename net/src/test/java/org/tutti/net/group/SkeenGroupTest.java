package org.tutti.net.group;

import org.tutti.Ordering;

/// Skeen's total order over TCP.
class SkeenGroupTest extends TcpGroupTest {
  @Override
  protected Ordering ordering() {
    return Ordering.SKEEN;
  }
}
