/// Ways to find other nodes: a file, addresses and services in DNS. Each is a [org.tutti.transport.Discovery].
package org.tutti.net.discovery;
