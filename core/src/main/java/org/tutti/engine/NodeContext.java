package org.tutti.engine;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.tutti.MemberId;
import org.tutti.effect.Counters;
import org.tutti.membership.HeardPeers;
import org.tutti.order.Clock;
import org.tutti.pack.Payloads;
import org.tutti.spi.NodeSettings;
import org.tutti.transport.Address;
import org.tutti.transport.Refused;

/// What a group needs of its node besides its ports.
///
/// @param config          the node's
/// @param contacts        tells whom the node may ask for its groups; changes when more are found
/// @param counters        the node's
/// @param payloads        the node's
/// @param clock           the node's logical clock, the same for all groups
/// @param domains         the node's domains, by name
/// @param hearing         what the failure detector knows
/// @param busy            whether something is on the way to a member
/// @param refused         by whom the node was refused lately; the same list as long as nothing changes
/// @param interestChanged to be called when [GroupEngine#interest] has changed
/// @param ended           to be called when the membership has ended
record NodeContext(
    NodeSettings config,
    Supplier<List<Address>> contacts,
    Counters counters,
    Payloads payloads,
    Clock clock,
    Function<String, Domain> domains,
    HeardPeers hearing,
    Predicate<MemberId> busy,
    Supplier<List<Refused>> refused,
    Runnable interestChanged,
    Runnable ended) {}
