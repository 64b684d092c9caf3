package org.tutti.replica;

/// The client was closed before the reply came. The command may have been executed, once.
public final class ClientClosedException extends ServiceException {
  private static final long serialVersionUID = 1;

  /// Says why.
  ///
  /// @param message in words
  public ClientClosedException(String message) {
    super(message);
  }
}
