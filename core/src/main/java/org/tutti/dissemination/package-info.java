/// How batches reach all members of a view, apart from their order: directly, or from member to member.
///
/// Reading order: [Disseminator], [BottleneckDetector].
@NullMarked
package org.tutti.dissemination;

import org.jspecify.annotations.NullMarked;
