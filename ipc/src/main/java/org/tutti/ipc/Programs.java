package org.tutti.ipc;

import java.util.Map;

/// The other programs that are attached to a host, and how many it has disconnected.
///
/// @param attached     how many there are now
/// @param disconnected how many it has disconnected since it began, for each reason that there was
public record Programs(int attached, Map<Reason, Long> disconnected) {
  /// How many are attached at a time, at most; those that have not greeted yet count.
  public static final int MAX = 256;

  /// How many calls of a program wait for their results, at most.
  public static final int CALLS_MAX = 16_384;

  /// Why a program was disconnected. Its processes have ended then.
  public enum Reason {
    /// What it said is no message: another kind of program, or a bug.
    MALFORMED,
    /// It is of another version of Tutti, whose programs speak otherwise.
    OTHER_VERSION,
    /// It has connected, and not greeted within five seconds.
    SILENT,
    /// There are [#MAX] programs already.
    TOO_MANY_PROGRAMS,
    /// More than [#CALLS_MAX] of its calls wait. A program that uses [Ipc#attach] gets [Status#NO_BUFF] before.
    TOO_MANY_CALLS,
    /// It does not read: 256 MiB of results wait for it.
    UNREAD
  }
}
