package org.tutti.engine;

import java.util.Map;
import java.util.random.RandomGenerator;
import org.tutti.MemberId;
import org.tutti.NodeConfig;
import org.tutti.transport.Outlet;

/// Everything of one process: its groups, its links and its failure detector, as one deterministic machine.
///
/// The host feeds it inputs with [#step], then calls [#flush] once for a run of inputs, which seals batches, acknowledges
/// and writes packets. Nothing here reads a clock, starts a thread or blocks; the same engine runs in production
/// ([EventLoop]) and in the simulator. Not thread-safe: one thread at a time.
public final class NodeEngine {
    /// Makes a node without groups.
    ///
    /// @param self   this life of this node
    /// @param config how it behaves
    /// @param outlet where its frames go
    /// @param random where all its randomness comes from
    public NodeEngine(MemberId self, NodeConfig config, Outlet outlet, RandomGenerator random) {}

    /// Handles one input to completion; what results is sent by [#flush].
    ///
    /// @param nowNanos monotonic time; never smaller than at the step before
    /// @param input    what happened
    public void step(long nowNanos, Input input) {}

    /// Ends a run of inputs: closes batches, sends acknowledgements, writes packets.
    ///
    /// @param nowNanos monotonic time; never smaller than at the step before
    public void flush(long nowNanos) {}

    /// When the engine wants an [Input.Expired] next.
    ///
    /// @return monotonic nanoseconds, or [Long#MAX_VALUE] for never; meaningful after [#flush]
    public long deadlineNanos() {
        return Long.MAX_VALUE;
    }

    /// What was counted, drops with their reasons among it.
    ///
    /// @return a copy, by name
    public Map<String, Long> counters() {
        return Map.of();
    }

    /// Who this node is.
    ///
    /// @return this life of this node
    public MemberId self() {
        throw new UnsupportedOperationException();
    }
}
