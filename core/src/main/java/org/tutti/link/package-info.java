/// Reliable first-in-first-out channels between two lives of two nodes, over any transport.
///
/// Reading order: [Packet] (the bytes), [Link] (one peer), [Links] (all peers of a node).
package org.tutti.link;
