/// The simulator: many nodes on one thread, everything that happens to them drawn from one seed.
///
/// Reading order: [Plan] (what a seed means), [Simulation] (the two phases of a run), [SimulatedCluster] and
/// [SimulatedNode] (who takes part), [SimulatedApplication] (what runs on the nodes), [Network], [Faults], [Workload].
@NullMarked
package org.tutti.sim;

import org.jspecify.annotations.NullMarked;
