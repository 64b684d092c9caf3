/// Who a process is and whom it believes, and TLS 1.3 over sockets that do not block: for transports and ports.
package org.tutti.tls;
