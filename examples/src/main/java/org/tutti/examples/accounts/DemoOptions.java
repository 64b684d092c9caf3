package org.tutti.examples.accounts;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.Ordering;

/// What a [Demo] shall do.
///
/// @param input        the file of transactions; null makes one
/// @param transactions how many transactions that file gets; 30 or more
/// @param seed         what is in that file depends on it alone
/// @param clients      how many clients; 1 to 32
/// @param scenario     what happens to the replicas
/// @param rate         how many transactions per second all clients together send in a scenario that is
///                     [Scenario#endless]; 1 per client to 100 000
/// @param ordering     who decides the order of the replicas' multicasts
/// @param transport    what carries their frames, by the name of its [org.tutti.transport.TransportProvider]
/// @param tls          the directory of the certificate that all replicas use; null for no TLS
/// @param durability   what the replicas keep on disk for a restart
/// @param portBase     the first of three ports per replica; 0 takes free ones
/// @param keep         an empty or new directory where the data stays; null for a temporary directory
public record DemoOptions(
    @Nullable Path input,
    int transactions,
    long seed,
    int clients,
    Scenario scenario,
    int rate,
    Ordering ordering,
    String transport,
    @Nullable Path tls,
    Durability durability,
    int portBase,
    @Nullable Path keep) {
  private static final int PORT_MIN = 1024;
  private static final int PORT_MAX = 65_000;
  private static final int RATE_MAX = 100_000;

  /// Checks the ranges.
  public DemoOptions {
    within("transactions", transactions, 30, Integer.MAX_VALUE);
    within("clients", clients, 1, 32);
    within("rate", rate, clients, RATE_MAX);
    if (scenario instanceof Scenario.TotalFailure && durability == Durability.NONE) {
      throw new IllegalArgumentException("nothing survives a total failure with durability NONE");
    }
    if (scenario instanceof Scenario.Split && transport.equals("udp")) {
      throw new IllegalArgumentException(
          "the relay that cuts the network between replicas carries connections, no udp");
    }
    if (portBase != 0) {
      within("port base", portBase, PORT_MIN, PORT_MAX);
    }
  }

  /// Three replicas, three clients, 50 000 transactions, one kill; where it matters 1000 transactions per second.
  ///
  /// @return the options of a plain `tutti demo`
  public static DemoOptions standard() {
    return new DemoOptions(
        null,
        50_000,
        1,
        3,
        new Scenario.Kill(3, 1, false),
        1000,
        Ordering.SEQUENCER,
        "tcp",
        null,
        Durability.NONE,
        0,
        null);
  }

  private static void within(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " is " + min + " to " + max + ", not " + value);
    }
  }
}
