/// Agreement on a sequence of values: [Consensus] (the seam), [ChandraToueg] (how).
package org.tutti.consensus;
