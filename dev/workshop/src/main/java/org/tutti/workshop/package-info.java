/// The commands of who develops Tutti, and the main class that adds them to those of who runs a group.
@NullMarked
package org.tutti.workshop;

import org.jspecify.annotations.NullMarked;
