/// The simulator, its fault plans and its property checkers.
@NullMarked
package org.tutti.sim;

import org.jspecify.annotations.NullMarked;
