package org.tutti.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.lab.network.LabNetwork;
import org.tutti.transport.Profile;

/// What a lab is made of. Immutable; start from [#standard] and change what differs.
///
/// @param members      how many nodes; they are called `n1`, `n2`, ...
/// @param seed         decides about every frame, and what campaigns do
/// @param ordering     the group's ordering
/// @param transport    what carries the frames: `tcp`, `udp`
/// @param rate         multicasts per second of each member
/// @param directory    where histories and logs go, which must be new or empty; null for a temporary one
public record LabConfig(
    int members, long seed, Ordering ordering, String transport, double rate, @Nullable Path directory) {
  /// The fewest members with which a majority can lose somebody.
  public static final int MEMBERS_MIN = 3;

  /// The transports that the lab's network carries.
  public static final List<String> TRANSPORTS = List.of("tcp", "udp");

  /// How long a member is patient with another one that says nothing, as [Profile#LAN] has it.
  static final Duration SUSPECT_AFTER = Profile.LAN.suspectAfter();

  private static final double RATE_MAX = 1000;

  /// Checks the ranges.
  public LabConfig {
    if (members < MEMBERS_MIN || members > LabNetwork.NODES_MAX) {
      throw new IllegalArgumentException(
          "a lab has " + MEMBERS_MIN + " to " + LabNetwork.NODES_MAX + " members, not " + members);
    }
    if (!TRANSPORTS.contains(transport)) {
      throw new IllegalArgumentException("a lab's transport is one of " + TRANSPORTS + ", not " + transport);
    }
    if (!(rate > 0 && rate <= RATE_MAX)) {
      throw new IllegalArgumentException("a member multicasts up to " + RATE_MAX + " times per second, not " + rate);
    }
  }

  /// Some members with the sequencer over TCP, 50 multicasts per second each, and the times of
  /// [Profile#LAN].
  ///
  /// @param members how many
  /// @return the defaults
  public static LabConfig standard(int members) {
    return new LabConfig(members, 1, Ordering.SEQUENCER, "tcp", 50, null);
  }

  /// Changes the seed.
  ///
  /// @param value the new seed
  /// @return a changed copy
  public LabConfig withSeed(long value) {
    return new LabConfig(members, value, ordering, transport, rate, directory);
  }

  /// Changes the ordering.
  ///
  /// @param value the new ordering
  /// @return a changed copy
  public LabConfig withOrdering(Ordering value) {
    return new LabConfig(members, seed, value, transport, rate, directory);
  }

  /// Changes the transport.
  ///
  /// @param value one of [#TRANSPORTS]
  /// @return a changed copy
  public LabConfig withTransport(String value) {
    return new LabConfig(members, seed, ordering, value, rate, directory);
  }

  /// Changes the load.
  ///
  /// @param value multicasts per second of each member
  /// @return a changed copy
  public LabConfig withRate(double value) {
    return new LabConfig(members, seed, ordering, transport, value, directory);
  }

  /// Changes the directory.
  ///
  /// @param value where histories and logs go, or null for a temporary one
  /// @return a changed copy
  public LabConfig withDirectory(@Nullable Path value) {
    return new LabConfig(members, seed, ordering, transport, rate, value);
  }

  /// The nodes' names.
  ///
  /// @return `n1` and so on
  public List<String> names() {
    return IntStream.rangeClosed(1, members).mapToObj(number -> "n" + number).toList();
  }
}
