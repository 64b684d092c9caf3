package org.tutti.verify.discovery;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.tutti.registry.Registry;
import org.tutti.registry.RegistryConfig;
import org.tutti.registry.RegistryDiscovery;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.RoleRegistration;
import org.tutti.transport.RoleRegistration.Role;

/// Roles at Tutti's own registry.
class RegistryRolesTest extends RoleRegistrationContract {
  @Override
  AutoCloseable start(int port) throws Exception {
    RegistryConfig config =
        RegistryConfig.expecting(CLIENTS + SERVERS).withClients(CLIENTS).withLease(Duration.ofSeconds(10));
    return Registry.open(new InetSocketAddress("127.0.0.1", port), config, null, null, _ -> {});
  }

  @Override
  RoleRegistration process(Address registry, String group, Role role, String name, Address own) {
    return RegistryDiscovery.member(registry.text(), group, name, own, null).inRole(role);
  }

  @Override
  Discovery member(Address registry, String group, String name, Address own) {
    return RegistryDiscovery.member(registry.text(), group, name, own, null);
  }

  @Override
  boolean crashWithAClaim(Address registry, String group, long number) {
    return false;
  }

  @Override
  boolean tellsBeforeComplete() {
    return false;
  }
}
