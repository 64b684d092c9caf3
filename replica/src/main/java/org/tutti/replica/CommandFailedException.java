package org.tutti.replica;

/// The service has refused a command, or could not answer a query: its [StateMachine] threw an exception. A command
/// that fails has been executed, once: it fails at all replicas in the same way.
public final class CommandFailedException extends ServiceException {
  private static final long serialVersionUID = 1;

  /// Says what the service said.
  ///
  /// @param message the message of the service's exception
  public CommandFailedException(String message) {
    super(message);
  }
}
