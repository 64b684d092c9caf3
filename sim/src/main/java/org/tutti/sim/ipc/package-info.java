/// Simulated hosts of group interprocess communication, whose processes send, receive and reply, and what is checked.
@NullMarked
package org.tutti.sim.ipc;

import org.jspecify.annotations.NullMarked;
