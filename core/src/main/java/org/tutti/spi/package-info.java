/// For those who extend Tutti: [org.tutti.spi.NodeHost] runs nodes, as a process or a simulation does. Programs that
/// use Tutti need nothing of this package.
package org.tutti.spi;
