package org.tutti.engine;

import java.util.function.Predicate;
import org.tutti.MemberId;
import org.tutti.NodeConfig;
import org.tutti.effect.Counters;

/// What a group needs of its node besides doors.
///
/// @param config          the node's
/// @param counters        the node's
/// @param suspects        the failure detector's opinion
/// @param busy            whether something is on the way to a member
/// @param interestChanged to be called when [GroupEngine#interest] has changed
/// @param ended           to be called when the membership has ended
record Surroundings(
    NodeConfig config,
    Counters counters,
    Predicate<MemberId> suspects,
    Predicate<MemberId> busy,
    Runnable interestChanged,
    Runnable ended) {}
