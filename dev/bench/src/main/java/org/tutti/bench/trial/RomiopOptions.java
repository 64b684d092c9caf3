package org.tutti.bench.trial;

import java.util.List;
import java.util.Set;

/// What is measured of CORBA objects in groups.
///
/// @param parts   which measurements
/// @param servers sizes of the groups, rising
/// @param bytes   lengths of what a call carries
public record RomiopOptions(Set<Part> parts, List<Integer> servers, List<Integer> bytes) {
  private static final int SERVERS_MAX = 7;
  private static final int BYTES_MAX = 8 << 20; // half of what the plug-in takes

  /// One of the measurements.
  public enum Part {
    /// How long a call takes, by the rule for replies.
    TWO_WAY,

    /// One-way calls per second.
    ONE_WAY,

    /// How long a call takes when requests wait for others.
    ORDER_TIME,

    /// The reliable stack without an order, and the unreliable one of the ORB, beside the others' one-way calls.
    STACKS
  }

  /// Checks the ranges.
  public RomiopOptions {
    parts = Set.copyOf(parts);
    servers = List.copyOf(servers);
    bytes = List.copyOf(bytes);
    require(!parts.isEmpty(), "nothing to measure");
    require(!servers.isEmpty(), "no size of a group");
    require(
        servers.stream().allMatch(size -> size >= 1 && size <= SERVERS_MAX),
        "groups have 1 to " + SERVERS_MAX + " servers, not " + servers);
    require(servers.equals(servers.stream().sorted().distinct().toList()), "sizes of groups rise, not " + servers);
    require(!bytes.isEmpty(), "no length of calls");
    require(
        bytes.stream().allMatch(length -> length >= 0 && length <= BYTES_MAX),
        "calls carry 0 to " + BYTES_MAX + " bytes, not " + bytes);
  }

  /// The smallest and the greatest group.
  List<Integer> ends() {
    return List.of(servers.getFirst(), servers.getLast()).stream().distinct().toList();
  }

  private static void require(boolean condition, String rule) {
    if (!condition) {
      throw new IllegalArgumentException(rule);
    }
  }
}
