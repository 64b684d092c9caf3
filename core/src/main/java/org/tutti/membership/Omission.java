package org.tutti.membership;

/// Why an attempt to make a view goes on, or is made anew, without somebody that was asked.
public enum Omission {
  /// It has not answered in time.
  SILENT,

  /// It counts as gone, or cannot be taken in.
  GONE,

  /// It reports another history of the group, or a later primary view without the one who asks.
  ELSEWHERE
}
