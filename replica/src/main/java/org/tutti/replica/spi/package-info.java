/// What modules offer that bring replicated services for clients of other protocols.
package org.tutti.replica.spi;
