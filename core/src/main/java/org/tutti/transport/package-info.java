/// The communication layer: carries opaque frames between nodes.
///
/// A transport knows nothing of groups, views or messages. Reading order: [Address], [FrameSender], [Transport],
/// [Receiver]; [TransportProvider] for those who choose one by name.
package org.tutti.transport;
