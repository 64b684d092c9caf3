package org.tutti.ipc;

/// Why a call was aborted. The names are those of the source (T-Shoshin, table 3.1 and section 4.2).
public enum Status {
  /// The communication is over: its sender has ended it, has all replies, died, was not heard for long, or has sent
  /// another message to the same group. Of a reply it is not known whether the sender has taken it.
  NO_COMM,
  /// Nothing came in the time that the caller gave.
  TIMED_OUT,
  /// The message reached nobody: no host that answered has a member of the group.
  NO_MEMBERS,
  /// A call that makes no sense: a second wait beside one of the same kind, or a number of replies that is not 0 to
  /// 1024.
  CM_ERROR,
  /// A bounded buffer is full: here, or at all members that could be reached.
  NO_BUFF,
  /// A reply to a message that has one already.
  CM_MISMATCH,
  /// The process is not in the group.
  NOT_MEMBER,
  /// The group-id server has no such group: nobody has created it, or it was destroyed. Groups with well-known and
  /// named ids have no password, and so none with one exists.
  GROUP_DOES_NOT_EXIST,
  /// The password is another one; or the group takes messages of those only that have said the send password.
  WRONG_PASSWORD,
  /// The group-id server does not answer in time, or this host has none. What was asked of it may yet be done.
  NO_SERVER,
  /// The host of the other process is not heard, or it and this one have not heard each other for a while during the
  /// communication. Of a message that is not in the queue yet, and of a reply that waits, it is not known what became.
  /// Of any call of a program that is attached to a host: that host has ended.
  HOST_DEAD,
  /// The other process has ended, or there never was one with its number.
  PROC_DEAD,
  /// This process waits for another one, which waits for the next one, and so on, and the last one waits for this one.
  CM_DEADLOCK,
  /// This host has failed, mostly because its transport has: [Ipc#failure] says how. A failure of the network that only
  /// loses packets is none, but silence of other hosts. What other hosts still do about earlier calls is not known.
  HARDWARE_FAIL
}
