/// The engine: composes the protocols into a deterministic machine, and the one thread that drives it in production.
///
/// Reading order: [NodeEngine] (everything of one process), [GroupEngine] (everything of one group), [Input],
/// [GroupUser], [Deliveries] and [EarlyDeliveries] (what reaches the application), and last [EventLoop], the only class
/// here that knows a thread or a clock.
package org.tutti.engine;
