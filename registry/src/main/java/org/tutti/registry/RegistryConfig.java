package org.tutti.registry;

import java.time.Duration;
import org.tutti.transport.RoleRegistration;

/// The settings of a [Registry].
///
/// @param expected    how many members a group has when it begins; nobody learns of the others before
/// @param lease       a member that was not heard for this long is forgotten
/// @param groupsMax   how many groups there may be
/// @param membersMax  how many members each may have
/// @param clients     how many of the expected members are clients, which have the numbers from 0; at a time there are
///                    never more
public record RegistryConfig(int expected, Duration lease, int groupsMax, int membersMax, int clients) {
  /// Checks the ranges.
  public RegistryConfig {
    if (groupsMax < 1 || membersMax < 1) {
      throw new IllegalArgumentException("groupsMax and membersMax are positive");
    }
    if (expected < 1 || expected > membersMax) {
      throw new IllegalArgumentException("1 to " + membersMax + " members are expected, not " + expected);
    }
    if (clients < 0 || clients >= expected) {
      throw new IllegalArgumentException(
          "of " + expected + " members 0 to " + (expected - 1) + " are clients, not " + clients);
    }
    if (lease.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("a lease lasts a second at least, not " + lease);
    }
  }

  /// For a registry of a few groups: a lease of 10 s, which a member renews ten times; 64 groups of 128 members; no
  /// clients.
  ///
  /// @param expected how many members a group has when it begins
  /// @return the preset
  public static RegistryConfig expecting(int expected) {
    return new RegistryConfig(expected, Duration.ofSeconds(RoleRegistration.LEASE_SECONDS), 64, 128, 0);
  }

  /// The same settings with another lease.
  ///
  /// @param value how long a member that is not heard is remembered
  /// @return a changed copy
  public RegistryConfig withLease(Duration value) {
    return new RegistryConfig(expected, value, groupsMax, membersMax, clients);
  }

  /// The same settings with clients among the expected members.
  ///
  /// @param value how many, fewer than are expected
  /// @return a changed copy
  public RegistryConfig withClients(int value) {
    return new RegistryConfig(expected, lease, groupsMax, membersMax, value);
  }
}
