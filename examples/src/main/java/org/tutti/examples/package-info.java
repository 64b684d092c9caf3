/// Small programs that use Tutti.
@NullMarked
package org.tutti.examples;

import org.jspecify.annotations.NullMarked;
