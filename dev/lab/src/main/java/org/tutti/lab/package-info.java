/// Groups of real processes on a network that is cut, slowed and damaged by one script, with their histories checked.
///
/// Reading order: [Lab] (the script), [LabMember] (what runs at each node), [HistoryEntry] (what it writes),
/// [HistoryFiles] (what is checked); then [Fault], [Script] and [LabCampaign], which draw scripts from a seed.
@NullMarked
package org.tutti.lab;

import org.jspecify.annotations.NullMarked;
