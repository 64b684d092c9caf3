package org.tutti;

/// The membership of a group has ended: the member left, its node was closed, or its node stopped.
public final class GroupClosedException extends TuttiException {
  private static final long serialVersionUID = 1;

  private GroupClosedException(String message, String group, MemberId member) {
    super(message, group, member);
  }

  /// Says of a group that a member was in why it is not any more.
  ///
  /// @param group  the group's name
  /// @param member who was in it
  /// @param why    the reason, in words
  public GroupClosedException(String group, MemberId member, String why) {
    this(member + " is no longer a member of group \"" + group + "\": " + why, group, member);
  }

  /// Says of a group that a member never came into why it did not.
  ///
  /// @param group  the group's name
  /// @param member who wanted to be in it
  /// @param why    the reason, in words
  /// @return the exception
  public static GroupClosedException neverIn(String group, MemberId member, String why) {
    return new GroupClosedException(member + " never was in group \"" + group + "\": " + why, group, member);
  }
}
