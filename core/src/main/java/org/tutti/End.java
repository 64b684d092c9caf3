package org.tutti;

/// Why a membership has ended: for programs, and in words for people.
///
/// {@snippet class="ApiExamplesTest" region="end"}
///
/// @param cause why, for programs
/// @param words the same in words, which may change
public record End(Cause cause, String words) {
  /// Why, for programs.
  public enum Cause {
    /// Its application wanted it: [Group#leave()], [Group#close()], or an end of the state's stream before its end.
    LEFT,

    /// It does not fit: it asked for something else than the group has, expects other founders than the others do, or
    /// its stable storage does not go with it, or it asked to vote and its certificate is only for observers; starting
    /// it again in the same way does not help. Or this life of its node was a member before; then that does help.
    REFUSED,

    /// Its node's build has not the version of the protocol that the group speaks (`docs/protocols/versions.md`): it is
    /// too old, or was started with less than the group already has. A newer build can take part.
    OTHER_VERSION,

    /// Another process has its name: one that is in the group and is heard, or a later life of this node.
    NAME_TAKEN,

    /// The group was founded twice, or an operator has forced another member to go on without this one, and the other
    /// history goes on. Who joins again, without its stored data, is in that one.
    OVERRULED,

    /// Its application did not keep up: it observed, or it had said so ([MemberConfig#leaveWhenBehind()]), or what was
    /// spilled for it could not be read back ([MemberConfig#spillBytesMax()]). Who joins again begins with the state of
    /// then.
    DROPPED,

    /// The last member that votes has left, so that there is no group any more.
    LAST_VOTER_LEFT,

    /// Its node was closed before it had left.
    NODE_CLOSED,

    /// Its node has failed: by a bug, a listener's exception, or its stable storage ([Node#failure]).
    NODE_FAILED
  }

  /// The words.
  @Override
  public String toString() {
    return words;
  }
}
