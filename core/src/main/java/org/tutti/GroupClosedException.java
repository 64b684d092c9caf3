package org.tutti;

/// The membership of a group has ended: it left, its node was closed, or its node stopped.
public final class GroupClosedException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  /// Says which and why.
  ///
  /// @param message the group and the reason
  public GroupClosedException(String message) {
    super(message);
  }
}
