package org.tutti.sim;

import java.util.List;
import java.util.Map;
import org.tutti.sim.check.Violation;

/// What came of a run.
///
/// @param plan       the run
/// @param steps      how many things happened
/// @param endNanos   the simulated time at which it ended
/// @param traceHash  a hash over every time, input, frame and upcall: equal for equal runs
/// @param faults     how often each kind of fault was injected
/// @param frames     how many frames were sent
/// @param multicasts how many messages were multicast
/// @param deliveries how many messages were delivered, by all members together
/// @param early      how many of them before they had a place
/// @param chained    how many batches of multicasts were sent along chains of members
/// @param relayed    how many batches of multicasts were sent through the most senior members
/// @param mixed      whether a member sent some batches as a star, and others not
/// @param undecided  how often a member was told that multicasts of its own are undecided
/// @param subsets     how many messages were multicast to some members
/// @param subsetDeliveries how many of these were delivered, by all members together
/// @param spills     how often a member spilled what its application did not take
/// @param inBranches how many messages were delivered in branches, by all members together
/// @param views      how many views were installed, by all members together
/// @param transfers  how many states were transferred to their end
/// @param firstCrashed whether the first member of a primary view crashed: sequencer, or first coordinator
/// @param senderCrashed whether a member crashed while the fate of its own multicasts was open
/// @param splits     what splits there were, and what merged, in a campaign of splits
/// @param quorumLost whether the crashes of this run took away for good what the group needs to go on
/// @param calls      how many calls the clients of a replicated service made
/// @param told       how many of them had a reply or a refusal
/// @param copies     how many commands went to further replicas, too, as their clients send to all
/// @param suspicions how often clients suspected the request manager, and sent to all
/// @param collected  how many outcomes of several replies clients have
/// @param reduced    how many of them count only because a replica has left
/// @param groups     how many groups clients have formed with replicas
/// @param inGroups   how many calls have a reply that came in such a group
/// @param bundles    how many outcomes came to clients in one message with the replies of several replicas
/// @param violations what did not hold
public record RunResult(
    Plan plan,
    long steps,
    long endNanos,
    long traceHash,
    Map<FaultKind, Long> faults,
    long frames,
    long multicasts,
    long deliveries,
    long early,
    long inBranches,
    long chained,
    long relayed,
    boolean mixed,
    long undecided,
    long subsets,
    long subsetDeliveries,
    long spills,
    long views,
    long transfers,
    boolean firstCrashed,
    boolean senderCrashed,
    SplitTable splits,
    boolean quorumLost,
    long calls,
    long told,
    long copies,
    long suspicions,
    long collected,
    long reduced,
    long groups,
    long inGroups,
    long bundles,
    List<Violation> violations) {
  /// Whether everything held.
  ///
  /// @return whether there is no violation
  public boolean passed() {
    return violations.isEmpty();
  }
}
