/// As much of HTTP/1.1 as short requests need, on a port that strangers shut for nobody.
package org.tutti.registry.http;
