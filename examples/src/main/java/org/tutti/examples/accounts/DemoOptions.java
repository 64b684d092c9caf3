package org.tutti.examples.accounts;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;

/// What a [Demo] shall do. Start from [#standard] and change what differs.
///
/// @param input              the file of transactions; null makes one
/// @param transactions       how many transactions that file gets; 30 or more
/// @param seed               what is in that file depends on it alone
/// @param replicas           how many replicas; 1 to 9
/// @param clients            how many clients; 1 to 32
/// @param kill               how many replicas are killed at once, the sequencer first; fewer than half
/// @param killDuringTransfer whether the first of them is killed again while it receives state
/// @param ordering           who decides the order of the replicas' multicasts
/// @param portBase           the first of two ports per replica; 0 takes free ones
/// @param keep               an empty or new directory where the data stays; null for a temporary directory
public record DemoOptions(
    @Nullable Path input,
    int transactions,
    long seed,
    int replicas,
    int clients,
    int kill,
    boolean killDuringTransfer,
    Ordering ordering,
    int portBase,
    @Nullable Path keep) {
  private static final int PORT_MIN = 1024;
  private static final int PORT_MAX = 65_000;

  /// Checks the ranges.
  public DemoOptions {
    within("transactions", transactions, 30, Integer.MAX_VALUE);
    within("replicas", replicas, 1, 9);
    within("clients", clients, 1, 32);
    within("kill", kill, 0, (replicas - 1) / 2);
    if (killDuringTransfer && kill == 0) {
      throw new IllegalArgumentException("kill during transfer needs a replica that was killed before");
    }
    if (portBase != 0) {
      within("port base", portBase, PORT_MIN, PORT_MAX);
    }
  }

  /// Three replicas, three clients, 50 000 transactions, one kill.
  ///
  /// @return the options of a plain `tutti demo`
  public static DemoOptions standard() {
    return new DemoOptions(null, 50_000, 1, 3, 3, 1, false, Ordering.SEQUENCER, 0, null);
  }

  private static void within(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " is " + min + " to " + max + ", not " + value);
    }
  }
}
