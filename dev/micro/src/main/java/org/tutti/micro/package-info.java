/// Single classes of the core, measured by JMH: `tools/jmh`. Times are per batch or per 1000 numbers; allocation beside
/// them is that of one operation, too.
@NullMarked
package org.tutti.micro;

import org.jspecify.annotations.NullMarked;
