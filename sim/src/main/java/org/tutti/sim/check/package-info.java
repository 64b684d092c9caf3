/// What must hold in every run: the history of a run, and one class per property that reads it.
///
/// Reading order: [History], [ViewIntervals] (the same, cut into each member's time in each view), [Checker],
/// [Checkers].
@NullMarked
package org.tutti.sim.check;

import org.jspecify.annotations.NullMarked;
