package org.tutti.bench;

import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import org.tutti.Ordering;
import org.tutti.transport.TransportProvider;

/// What to measure, and how long.
///
/// @param transports kinds of transports, measured in turn
/// @param orderings  orderings, in turn
/// @param members    sizes of groups, each at least 2
/// @param bytes      lengths of messages, each at least 4
/// @param rounds     how often everything is measured
/// @param time       how long one measurement lasts
public record ClosedOptions(
    List<TransportProvider> transports,
    List<Ordering> orderings,
    List<Integer> members,
    List<Integer> bytes,
    int rounds,
    Duration time) {
  private static final int MEMBERS_MAX = 32;
  private static final int BYTES_MIN = Integer.BYTES; // a ping has a number
  private static final int BYTES_MAX = 1 << 20;

  /// Checks the ranges.
  public ClosedOptions {
    transports = List.copyOf(transports);
    orderings = List.copyOf(orderings);
    members = List.copyOf(members);
    bytes = List.copyOf(bytes);
    if (members.isEmpty() || members.stream().anyMatch(size -> size < 2 || size > MEMBERS_MAX)) {
      throw new IllegalArgumentException("groups have 2 to " + MEMBERS_MAX + " members, not " + members);
    }
    if (bytes.isEmpty() || bytes.stream().anyMatch(length -> length < BYTES_MIN || length > BYTES_MAX)) {
      throw new IllegalArgumentException("messages have " + BYTES_MIN + " to " + BYTES_MAX + " bytes, not " + bytes);
    }
    if (transports.isEmpty() || orderings.isEmpty() || rounds < 1 || !time.isPositive()) {
      throw new IllegalArgumentException("nothing to measure");
    }
  }

  /// The transports that can be measured.
  ///
  /// @return all there are, `tcp` without Unix domain sockets, `unix` with them, by name
  public static NavigableMap<String, TransportProvider> transportsByName() {
    return Sockets.andAllOthers();
  }
}
