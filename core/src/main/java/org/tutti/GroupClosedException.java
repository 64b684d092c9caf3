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

  /// Says of a group that this process was in why it is not any more.
  ///
  /// @param group the group's name
  /// @param why   the reason, in words
  public GroupClosedException(String group, String why) {
    this("no longer a member of group \"" + group + "\": " + why);
  }
}
