/// Planted bugs that the checkers must find: the protocols' own classes with one method rewritten while they are
/// loaded, so that production code carries no hook for it.
///
/// Reading order: [Edit] (what can be changed), [Mutant], [Mutants] (the list), [MutantLoader], [MutantSearch].
@NullMarked
package org.tutti.sim.mutant;

import org.jspecify.annotations.NullMarked;
