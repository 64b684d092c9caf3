/// Benchmarks behind `tutti bench`.
///
/// Reading order: [CostTable] and [CostModel] (counted, on the simulator); [OrdersBenchmark], [Ensemble] and what is
/// run on it: [ClosedLoop], [Flood], [OfferedLoad], [SwitchGap] (measured, over TCP).
package org.tutti.bench;
