package org.tutti;

import org.jspecify.annotations.Nullable;

/// What Tutti throws when the world is not as it should be: a membership has ended, a port is in use, a disk is
/// damaged. Its message is for people, and names the group and the member where there is one. For programs, the type
/// says what happened, and [#group] and [#member] say to whom.
///
/// A mistake of the caller is none of these. It is an [IllegalArgumentException] with the value, or an
/// [IllegalStateException] when the call came at the wrong time.
public abstract class TuttiException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Its name; null when it concerns no group.
  private final @Nullable String group;

  private final transient @Nullable MemberId member;

  /// Says what happened, where no group is concerned.
  ///
  /// @param message for people
  /// @param cause   the failure below; null for none
  protected TuttiException(String message, @Nullable Throwable cause) {
    super(message, cause);
    this.group = null;
    this.member = null;
  }

  /// Says what happened to a member of a group.
  ///
  /// @param message for people; names both
  /// @param group   the group's name
  /// @param member  the member
  protected TuttiException(String message, String group, MemberId member) {
    super(message);
    this.group = group;
    this.member = member;
  }

  /// The group that it is about.
  ///
  /// @return its name; null when it concerns no group, or a whole node
  public @Nullable String group() {
    return group;
  }

  /// The member that it is about: of this process.
  ///
  /// @return this life of the member; null when there was no node yet, or after the exception was serialized
  public @Nullable MemberId member() {
    return member;
  }
}
