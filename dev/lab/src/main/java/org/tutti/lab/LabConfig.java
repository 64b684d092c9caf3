package org.tutti.lab;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
/// @param rate         multicasts per second of each member; with clients, calls per second of each client
/// @param clients      how many clients call a replicated service, whose replicas the members are then; 0 for a group
/// @param directory    where histories and logs go, which must be new or empty; null for a temporary one
public record LabConfig(
    int members, long seed, Ordering ordering, String transport, double rate, int clients, @Nullable Path directory) {
  /// The fewest members with which a majority can lose somebody.
  public static final int MEMBERS_MIN = 3;

  /// The transports that the lab's network carries.
  public static final List<String> TRANSPORTS = List.of("tcp", "udp");

  /// How long a member is patient with another one that says nothing, as [Profile#LAN] has it.
  static final Duration SUSPECT_AFTER = Profile.LAN.suspectAfter();

  /// The node at which the clients are.
  static final String CLIENTS = "clients";

  private static final int CLIENTS_MAX = 64;
  private static final double RATE_MAX = 1000;

  /// Checks the ranges.
  public LabConfig {
    int most = LabNetwork.NODES_MAX - (clients > 0 ? 1 : 0);
    if (members < MEMBERS_MIN || members > most) {
      throw new IllegalArgumentException("a lab has " + MEMBERS_MIN + " to " + most + " members, not " + members);
    }
    if (clients < 0 || clients > CLIENTS_MAX) {
      throw new IllegalArgumentException("a lab has up to " + CLIENTS_MAX + " clients, not " + clients);
    }
    if (!TRANSPORTS.contains(transport)) {
      throw new IllegalArgumentException("a lab's transport is one of " + TRANSPORTS + ", not " + transport);
    }
    if (!(rate > 0 && rate <= RATE_MAX)) {
      throw new IllegalArgumentException(
          "a member multicasts, or a client calls, up to " + RATE_MAX + " times per second, not " + rate);
    }
  }

  /// Some members with the sequencer over TCP, 50 multicasts per second each, and the times of
  /// [Profile#LAN].
  ///
  /// @param members how many
  /// @return the defaults
  public static LabConfig standard(int members) {
    return new LabConfig(members, 1, Ordering.SEQUENCER, "tcp", 50, 0, null);
  }

  /// Changes the seed.
  ///
  /// @param value the new seed
  /// @return a changed copy
  public LabConfig withSeed(long value) {
    return new LabConfig(members, value, ordering, transport, rate, clients, directory);
  }

  /// Changes the ordering.
  ///
  /// @param value the new ordering
  /// @return a changed copy
  public LabConfig withOrdering(Ordering value) {
    return new LabConfig(members, seed, value, transport, rate, clients, directory);
  }

  /// Changes the transport.
  ///
  /// @param value one of [#TRANSPORTS]
  /// @return a changed copy
  public LabConfig withTransport(String value) {
    return new LabConfig(members, seed, ordering, value, rate, clients, directory);
  }

  /// Changes the load.
  ///
  /// @param value multicasts per second of each member; with clients, calls per second of each client
  /// @return a changed copy
  public LabConfig withRate(double value) {
    return new LabConfig(members, seed, ordering, transport, value, clients, directory);
  }

  /// Has members be replicas of a service, and clients call it.
  ///
  /// @param value how many clients; 0 for none
  /// @return a changed copy
  public LabConfig withClients(int value) {
    return new LabConfig(members, seed, ordering, transport, rate, value, directory);
  }

  /// Changes the directory.
  ///
  /// @param value where histories and logs go, or null for a temporary one
  /// @return a changed copy
  public LabConfig withDirectory(@Nullable Path value) {
    return new LabConfig(members, seed, ordering, transport, rate, clients, value);
  }

  /// The members' names.
  ///
  /// @return `n1` and so on
  public List<String> names() {
    return IntStream.rangeClosed(1, members).mapToObj(number -> "n" + number).toList();
  }

  /// The names of all nodes.
  ///
  /// @return the members', and that of the clients' node if there are clients
  List<String> nodes() {
    return clients == 0 ? names() : Stream.concat(names().stream(), Stream.of(CLIENTS)).toList();
  }
}
