/// Between the sockets and the ORB: nothing reaches the ORB that is not GIOP of a bearable size.
@NullMarked
package org.tutti.corba.gate;

import org.jspecify.annotations.NullMarked;
