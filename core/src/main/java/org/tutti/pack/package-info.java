/// Batches, the unit of ordering, acknowledging and retransmission, and how messages are packed into them.
///
/// Reading order: [Batch], [CausalPast], [MessageBlock], [Packer], `PackingPolicies`, which finds
/// the policies `NaturalPacking`, `FixedDegree` and `HillClimb`.
package org.tutti.pack;
