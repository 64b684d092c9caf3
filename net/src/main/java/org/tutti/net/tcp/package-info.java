/// The transport over TCP, and over Unix domain sockets on one host: [org.tutti.net.tcp.TcpTransport].
package org.tutti.net.tcp;
