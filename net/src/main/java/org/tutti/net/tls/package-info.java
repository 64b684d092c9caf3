/// Who a node is and whom it believes, for transports with TLS.
package org.tutti.net.tls;
