package org.tutti.net.group;

import org.tutti.Ordering;

/// Symmetric total order over TCP.
class SymmetricGroupTest extends TcpGroupTest {
  @Override
  protected Ordering ordering() {
    return Ordering.SYMMETRIC;
  }
}
