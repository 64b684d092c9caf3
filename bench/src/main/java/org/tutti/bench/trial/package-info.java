/// Measurements by processes: they are started, told what to do, and their answers become figures.
///
/// Reading order: [Instrument], [Team], [Child], [Heat], [Rounds], [Machine], [Report].
@NullMarked
package org.tutti.bench.trial;

import org.jspecify.annotations.NullMarked;
