/// Clients and servers of an ORB, as `tutti bench romiop` measures them.
@NullMarked
package org.tutti.orbs;

import org.jspecify.annotations.NullMarked;
