/// The transport over UDP, with IP multicast: [org.tutti.net.udp.UdpTransport].
package org.tutti.net.udp;
