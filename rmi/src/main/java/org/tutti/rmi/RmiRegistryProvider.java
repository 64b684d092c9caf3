package org.tutti.rmi;

import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.DiscoveryProvider;

/// Offers [RmiRegistryDiscovery] as `rmiregistry`.
public final class RmiRegistryProvider implements DiscoveryProvider {
  /// For the service loader.
  public RmiRegistryProvider() {}

  @Override
  public String name() {
    return "rmiregistry";
  }

  @Override
  public Discovery member(Address registry, String group, String name, Address own) {
    return RmiRegistryDiscovery.member(registry, group, name, own);
  }

  @Override
  public Discovery onlooker(Address registry, String group) {
    return RmiRegistryDiscovery.onlooker(registry, group);
  }
}
