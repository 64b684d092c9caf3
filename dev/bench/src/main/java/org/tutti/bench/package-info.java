/// Benchmarks behind `tutti bench` that run in one process.
///
/// Reading order: [CostTable] and [CostModel] (counted, on the simulator); [LocalGroup], [ClosedBenchmark],
/// [ClientServerBenchmark] (measured, over any transport). Members that are processes of their own are in
/// [org.tutti.bench.trial] and [org.tutti.bench.member].
package org.tutti.bench;
