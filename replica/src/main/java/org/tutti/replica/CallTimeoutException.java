package org.tutti.replica;

/// The deadline of a call has passed. [#mayBeExecuted] says what is known about the command.
public final class CallTimeoutException extends ServiceException {
  private static final long serialVersionUID = 1;

  /// Whether the command had been sent to a replica.
  private final boolean sent;

  /// Says what happened.
  ///
  /// @param message in words
  /// @param sent    whether the command had been sent to a replica
  public CallTimeoutException(String message, boolean sent) {
    super(message);
    this.sent = sent;
  }

  /// Whether the command may have been executed, once. If not, no replica has seen it, and none will.
  ///
  /// @return false when it was certainly not executed
  public boolean mayBeExecuted() {
    return sent;
  }
}
