/// Who a node is and whom it believes, for transports with TLS.
@NullMarked
package org.tutti.net.tls;

import org.jspecify.annotations.NullMarked;
