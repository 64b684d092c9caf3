/// Measurements by processes: they are started, told what to do, and their answers become figures.
///
/// Reading order: [Instrument], [ProcessGroup], [MeasuredProcess], [TrialSet], [Rounds], [Machine], [TextReport];
/// for lines of limited rate [LineRun], [LineStack], [LineTrial].
@NullMarked
package org.tutti.bench.trial;

import org.jspecify.annotations.NullMarked;
