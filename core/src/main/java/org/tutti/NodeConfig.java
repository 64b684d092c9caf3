package org.tutti;

import java.time.Duration;
import java.util.List;
import org.tutti.transport.Address;
import org.tutti.transport.Profile;

/// How a node behaves towards other nodes. Immutable; start from a preset and change what differs.
///
/// @param name             the node's name ([Names]), unique among the living nodes of its groups
/// @param cluster          nodes of different clusters ignore each other's packets, whatever their addresses
/// @param contacts         nodes to ask when joining and after a partition; this node's own address is ignored
/// @param heartbeat        a node that sent nothing to a peer for this time sends a null packet
/// @param suspectAfter     a peer that was not heard for this time is suspected; at least three heartbeats
/// @param spin             for how long the engine thread, which has run out of input, looks for more again and again
///                         before it waits to be woken up; zero lets it wait at once. Spinning saves the wake-up, some
///                         microseconds of each message, and takes a whole core while it lasts: for dedicated cores
public record NodeConfig(
    String name, String cluster, List<Address> contacts, Duration heartbeat, Duration suspectAfter, Duration spin) {
  /// Checks the ranges.
  public NodeConfig {
    contacts = List.copyOf(contacts);
    Names.require("a node's", name, Names.faultOfNode(name));
    Names.require("a cluster's", cluster, Names.fault(cluster));
    if (heartbeat.isNegative() || heartbeat.isZero()) {
      throw new IllegalArgumentException("heartbeat must be positive");
    }
    if (suspectAfter.compareTo(heartbeat.multipliedBy(3)) < 0) {
      throw new IllegalArgumentException("suspectAfter must be at least three heartbeats");
    }
    if (spin.isNegative()) {
      throw new IllegalArgumentException("spin must not be negative");
    }
  }

  /// For nodes on one local network: the times of [Profile#LAN].
  ///
  /// @param name the node's name
  /// @return the preset, with cluster `tutti` and no contacts
  public static NodeConfig lan(String name) {
    return of(name, Profile.LAN);
  }

  /// For nodes with something between them.
  ///
  /// @param name    the node's name
  /// @param profile whose times are taken
  /// @return the preset, with cluster `tutti` and no contacts
  public static NodeConfig of(String name, Profile profile) {
    return new NodeConfig(name, "tutti", List.of(), profile.heartbeat(), profile.suspectAfter(), Duration.ZERO);
  }

  /// Changes the cluster.
  ///
  /// @param value the cluster's name
  /// @return a changed copy
  public NodeConfig withCluster(String value) {
    return new NodeConfig(name, value, contacts, heartbeat, suspectAfter, spin);
  }

  /// Changes the contacts.
  ///
  /// @param value addresses of nodes that may be in the groups
  /// @return a changed copy
  public NodeConfig withContacts(List<Address> value) {
    return new NodeConfig(name, cluster, value, heartbeat, suspectAfter, spin);
  }

  /// Changes the failure detector's times.
  ///
  /// @param heartbeatEvery how often a silent node sends a null packet
  /// @param suspect        the silence after which a peer is suspected
  /// @return a changed copy
  public NodeConfig withTimes(Duration heartbeatEvery, Duration suspect) {
    return new NodeConfig(name, cluster, contacts, heartbeatEvery, suspect, spin);
  }

  /// Changes how long the engine thread spins before it waits.
  ///
  /// @param value zero, or for example 50 microseconds; a day keeps it spinning for good
  /// @return a changed copy
  public NodeConfig withSpin(Duration value) {
    return new NodeConfig(name, cluster, contacts, heartbeat, suspectAfter, value);
  }
}
