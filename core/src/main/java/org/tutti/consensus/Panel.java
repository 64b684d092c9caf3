package org.tutti.consensus;

import java.time.Duration;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.tutti.View;

/// Who decides together: the members of one view, as one of them sees it.
///
/// @param self     this member's rank in the view
/// @param view     the view; nobody comes or goes
/// @param quorum   which ranks make a quorum; any two quorums share a member
/// @param suspects the failure detector's present opinion of a rank; it may be wrong in both directions
/// @param patience how long a member that waits for a decision bears with a silent coordinator at first
public record Panel(int self, View view, Predicate<IntPredicate> quorum, IntPredicate suspects, Duration patience) {}
