/// A network of namespaces: each node's interface is a TAP device, whose frames go through one [Switchboard].
///
/// Reading order: [Conditions], [Way], [Switchboard], [LabNetwork]; below them [Tap] and [Kernel].
@NullMarked
package org.tutti.lab.network;

import org.jspecify.annotations.NullMarked;
