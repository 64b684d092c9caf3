/// Transport over Java RMI. Reading order: [RmiTransport], [RemoteReceiver], [RmiMiddleware], [ClientSockets],
/// [ListeningSocket].
@NullMarked
package org.tutti.rmi;

import org.jspecify.annotations.NullMarked;
