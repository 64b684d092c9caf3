/// A network of namespaces: each node's interface is a TAP device, whose frames go through one [VirtualSwitch].
///
/// Reading order: [Conditions], [LinkDirection], [VirtualSwitch], [LabNetwork]; below them [TapDevice] and [Kernel].
/// [LineNetwork] is another network, of lines with limited rates, which the kernel alone makes.
@NullMarked
package org.tutti.lab.network;

import org.jspecify.annotations.NullMarked;
