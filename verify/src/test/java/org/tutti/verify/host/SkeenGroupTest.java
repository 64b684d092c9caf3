package org.tutti.verify.host;

import org.tutti.Ordering;

/// Skeen's total order over TCP.
class SkeenGroupTest extends TcpGroupTest {
  @Override
  Ordering ordering() {
    return Ordering.SKEEN;
  }
}
