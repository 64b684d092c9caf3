/// Transports over TCP and UDP, and discovery.
@NullMarked
package org.tutti.net;

import org.jspecify.annotations.NullMarked;
