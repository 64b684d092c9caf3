package org.tutti.middleware;

import java.io.IOException;
import org.tutti.transport.Address;

/// A peer's address has not the form that the middleware understands: no later attempt will succeed.
public final class UnusableAddressException extends IOException {
  private static final long serialVersionUID = 1;

  /// Names the address.
  ///
  /// @param address what was to be dialled
  public UnusableAddressException(Address address) {
    super("not an address to dial: " + address);
  }
}
