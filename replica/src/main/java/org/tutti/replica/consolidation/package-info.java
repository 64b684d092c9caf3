/// Replies of several members made into one outcome. Start reading at
/// [org.tutti.replica.consolidation.Consolidation], the rule, then at
/// [org.tutti.replica.consolidation.Consolidator], which follows it for one call.
package org.tutti.replica.consolidation;
