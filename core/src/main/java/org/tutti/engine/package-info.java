/// The engine: composes the protocols into a deterministic machine, and the one thread that drives it in production.
///
/// Reading order: [NodeEngine] (everything of one process), [GroupEngine] (everything of one group, and in which order
/// it is put together), [ViewFilter] (what comes for which view), [Ports] (how messages leave), and last [EventLoop],
/// the only class here that knows a thread or a clock.
package org.tutti.engine;
