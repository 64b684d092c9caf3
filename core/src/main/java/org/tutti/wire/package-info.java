/// How messages become bytes and bytes messages: bounds-checked, versioned, without Java serialization.
///
/// Reading order: [WireWriter], [WireReader], [Codec], [Frame]; the packet around frames is [org.tutti.link.Packet].
package org.tutti.wire;
