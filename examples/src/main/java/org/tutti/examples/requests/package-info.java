/// Four calls for servers and clients: wait for a request, reply to it; send a request, get the replies. A client is an
/// observer of the servers' group, so a request is one multicast in total order, and each server replies.
/// With a registry, each process registers as a client or as a server and gets a number.
///
/// The calls are those of appendix C of the source thesis on total order over sockets, RMI and CORBA; here a crash of
/// a server is no end: the others go on, and a client is told how many replies can still come.
@NullMarked
package org.tutti.examples.requests;

import org.jspecify.annotations.NullMarked;
