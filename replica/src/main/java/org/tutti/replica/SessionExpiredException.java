package org.tutti.replica;

/// The client was not heard for so long that the replicas have forgotten its session, with what they had answered.
/// Whether the command was executed is not known; it is not executed any more, and was not executed twice. Later calls
/// of the client are made in a new session.
public final class SessionExpiredException extends ServiceException {
  private static final long serialVersionUID = 1;

  /// Says which session.
  ///
  /// @param message in words
  public SessionExpiredException(String message) {
    super(message);
  }
}
