/// The communication layer: carries opaque frames between nodes.
///
/// A transport knows nothing of groups, views or messages. Reading order: [Address], [FrameSender], [Transport],
/// [Receiver]; [TransportProvider] for those who choose one by name. [Endpoint] and [Counts] help those who write one.
package org.tutti.transport;
