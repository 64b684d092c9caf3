package org.tutti.replica;

/// The replicas gave different replies to a command, and none of them counts: the service is not deterministic.
/// [Client#collect] shows the replies.
public final class RepliesDifferException extends ServiceException {
  private static final long serialVersionUID = 1;

  /// Says what was found.
  ///
  /// @param message how many replies there were, and of whom
  public RepliesDifferException(String message) {
    super(message);
  }
}
