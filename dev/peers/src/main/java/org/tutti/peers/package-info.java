/// Other toolkits, as `tutti bench versus` measures them.
@NullMarked
package org.tutti.peers;

import org.jspecify.annotations.NullMarked;
