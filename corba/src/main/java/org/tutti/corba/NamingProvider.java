package org.tutti.corba;

import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.DiscoveryProvider;

/// Offers [NamingDiscovery] as `naming`.
public final class NamingProvider implements DiscoveryProvider {
  /// For the service loader.
  public NamingProvider() {}

  @Override
  public String name() {
    return "naming";
  }

  @Override
  public Discovery member(Address registry, String group, String name, Address own) {
    return NamingDiscovery.member(registry, group, name, own);
  }

  @Override
  public Discovery onlooker(Address registry, String group) {
    return NamingDiscovery.onlooker(registry, group);
  }
}
