package org.tutti.ipc;

import org.tutti.MemberId;

/// One process: of one life of one host, by its number there.
///
/// @param host   the host
/// @param number 1 or more, never used again in that life; never a [GroupId], as those have the highest bit
public record ProcessId(MemberId host, int number) implements Comparable<ProcessId> {
  /// Takes a host and a number.
  ///
  /// @throws IllegalArgumentException when the number is not positive
  public ProcessId {
    if (number <= 0) {
      throw new IllegalArgumentException("the number of a process is positive, not " + number);
    }
  }

  @Override
  public int compareTo(ProcessId other) {
    int byHost = host.compareTo(other.host);
    return byHost != 0 ? byHost : Integer.compare(number, other.number);
  }

  @Override
  public String toString() {
    return host + "." + number;
  }
}
