/// Space-time diagrams of simulated runs, as SVG.
///
/// [org.tutti.sim.diagram.Recording] takes a run down, [org.tutti.sim.diagram.TimeWindow] chooses a part of it, and
/// [org.tutti.sim.diagram.Diagram] draws it.
@NullMarked
package org.tutti.sim.diagram;

import org.jspecify.annotations.NullMarked;
