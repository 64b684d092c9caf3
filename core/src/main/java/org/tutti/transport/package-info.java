/// The communication layer: carries opaque frames between nodes (H7, H8).
///
/// A transport knows nothing of groups, views or messages. Reading order: [Address], [Outlet], [Transport], [Receiver].
package org.tutti.transport;
