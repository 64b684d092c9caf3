/// Transport over Java RMI. Reading order: [RmiTransport], [Inlet], [RmiMiddleware], [ClientSockets], [Doorway].
@NullMarked
package org.tutti.rmi;

import org.jspecify.annotations.NullMarked;
