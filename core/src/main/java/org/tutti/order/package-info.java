/// What is delivered, in which order, and when it is safe to.
///
/// Reading order: [Log] (what a member has of a view's history), [HoldBackQueue] (what comes before its causes),
/// [TotalOrder] (who decides places), [FixedSequencer], [Skeen] and [ConsensusOrder] (three who do), [Stability] (when
/// a place may be delivered).
package org.tutti.order;
