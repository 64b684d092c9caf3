/// Ways to find other nodes: a file, addresses and services in DNS. Each is a [org.tutti.transport.Discovery].
@NullMarked
package org.tutti.net.discovery;

import org.jspecify.annotations.NullMarked;
