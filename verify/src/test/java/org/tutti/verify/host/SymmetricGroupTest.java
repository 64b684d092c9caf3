package org.tutti.verify.host;

import org.tutti.Ordering;

/// Symmetric total order over TCP.
class SymmetricGroupTest extends TcpGroupTest {
  @Override
  Ordering ordering() {
    return Ordering.SYMMETRIC;
  }
}
