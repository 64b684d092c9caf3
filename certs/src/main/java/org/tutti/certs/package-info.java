/// An authority for development, and the certificates that it issues.
package org.tutti.certs;
