/// Measurements by processes: they are started, told what to do, and their answers become figures.
///
/// Reading order: [Instrument], [ProcessGroup], [MeasuredProcess], [TrialSet], [Rounds], [Machine], [TextReport].
@NullMarked
package org.tutti.bench.trial;

import org.jspecify.annotations.NullMarked;
