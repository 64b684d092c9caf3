/// Exhaustive check of small groups: every state that two or three members can reach with a few messages and one fault,
/// over the production classes of the orderings, the log, stability and the cut.
///
/// Reading order: [BoundedModel] (what is looked at), [MemberModel] (one member's real objects), [MemberStates] (its
/// states), [Exploration] (all members' states), [Ending] (the view change), [StateText] (when two states are one),
/// [ExhaustiveCheck] (the list).
@NullMarked
package org.tutti.sim.exhaustive;

import org.jspecify.annotations.NullMarked;
