/// Building blocks on a replicated service; see [Blocks].
package org.tutti.blocks;
