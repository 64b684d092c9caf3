/// Batches, the unit of ordering, acknowledging and retransmission, and how messages are packed into them.
///
/// Reading order: [Batch], [CausalPast], [MessageBlock], [Packer], [NaturalPacking], [HillClimb].
package org.tutti.pack;
