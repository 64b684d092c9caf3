/// Where the members of a group meet: [org.tutti.registry.Registry] serves, and
/// [org.tutti.registry.RegistryDiscovery] asks.
package org.tutti.registry;
