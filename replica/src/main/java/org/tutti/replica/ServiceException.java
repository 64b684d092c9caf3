package org.tutti.replica;

/// Why a call to a replicated service has no reply.
public sealed class ServiceException extends RuntimeException
    permits CommandFailedException,
        SessionExpiredException,
        CallTimeoutException,
        RepliesDifferException,
        ClientClosedException {
  private static final long serialVersionUID = 1;

  /// Says what happened.
  ///
  /// @param message in words
  protected ServiceException(String message) {
    super(message);
  }
}
