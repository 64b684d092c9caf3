/// What transports over middlewares share: queues, one sender per peer, batches, dialling, and an inbox.
///
/// Reading order: [Middleware], [Call], [Arrivals]; [MiddlewareTransport], [PeerQueue], [ArrivalQueue], [FrameBatch].
@NullMarked
package org.tutti.middleware;

import org.jspecify.annotations.NullMarked;
