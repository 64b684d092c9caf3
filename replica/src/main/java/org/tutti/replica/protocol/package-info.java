/// The protocols between a service's replicas and its clients, without threads, sockets and clocks: the hosts of
/// [org.tutti.replica] and the simulator run the same.
package org.tutti.replica.protocol;
