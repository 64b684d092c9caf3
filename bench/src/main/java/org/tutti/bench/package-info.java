/// Benchmarks behind `tutti bench` that run in one process.
///
/// Reading order: [CostTable] and [CostModel] (counted, on the simulator); [OrdersBenchmark], [LocalGroup] and what is
/// run on it: [org.tutti.bench.member.ClosedLoop], [FloodBenchmark], [org.tutti.bench.member.OpenLoop], [SwitchGap]
/// (measured, over TCP). Members that are processes of their own are in [org.tutti.bench.trial] and
/// [org.tutti.bench.member].
package org.tutti.bench;
