package org.tutti.order;

import java.time.Duration;
import java.util.function.IntPredicate;
import org.tutti.View;

/// Where a [TotalOrder] works: one primary view at one member.
///
/// @param self       this member's rank in the view
/// @param view       the view
/// @param indexFirst the index of the first place that this ordering decides
/// @param quorum     which ranks make a quorum of the view
/// @param clock      the member's; it outlives the view, and has seen the stamp of every batch that arrived
/// @param suspects   the failure detector's present opinion of a rank; it may be wrong in both directions
/// @param heartbeat  a living member is heard at least this often, as long as no message is lost
public record OrderingContext(
    int self,
    View view,
    long indexFirst,
    Stability.Quorum quorum,
    Clock clock,
    IntPredicate suspects,
    Duration heartbeat) {}
