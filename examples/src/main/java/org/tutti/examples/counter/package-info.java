/// Replicated counters, whose clients are not members: plain connections, a virtual thread each.
@NullMarked
package org.tutti.examples.counter;

import org.jspecify.annotations.NullMarked;
