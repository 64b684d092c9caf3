package org.tutti.verify.host;

import org.tutti.Ordering;

/// Symmetric total order (N1, O2) over TCP.
class SymmetricGroupTest extends TcpGroupTest {
  @Override
  Ordering ordering() {
    return Ordering.SYMMETRIC;
  }
}
