/// Frames over IIOP, the protocol of CORBA, by a real ORB.
///
/// Reading order: [IiopTransport], [IiopMiddleware], [PeerServant], [OrbSettings]; then what keeps strangers out.
@NullMarked
package org.tutti.corba;

import org.jspecify.annotations.NullMarked;
