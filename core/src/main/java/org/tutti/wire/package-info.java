/// How messages become bytes and bytes messages: bounds-checked, versioned, without Java serialization.
///
/// Reading order: [WireWriter], [WireReader], [Codec], [Encoded]. The packet around messages is the link's.
package org.tutti.wire;
