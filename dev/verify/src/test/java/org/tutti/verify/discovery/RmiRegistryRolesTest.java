package org.tutti.verify.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import org.junit.jupiter.api.Test;
import org.tutti.rmi.RmiRegistryDiscovery;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.RoleRegistration;
import org.tutti.transport.RoleRegistration.Role;

/// Roles at a registry of Java RMI, a process of its own.
class RmiRegistryRolesTest extends RoleRegistrationContract {
  @Override
  AutoCloseable start(int port) throws Exception {
    return LaunchedRmiRegistry.start(port);
  }

  @Override
  RoleRegistration process(Address registry, String group, Role role, String name, Address own) {
    return RmiRegistryDiscovery.member(registry, group, name, own).inRole(role, CLIENTS, SERVERS);
  }

  @Override
  Discovery member(Address registry, String group, String name, Address own) {
    return RmiRegistryDiscovery.member(registry, group, name, own);
  }

  @Override
  boolean crashWithAClaim(Address at, String group, long number) throws Exception {
    int port = Integer.parseInt(at.text().substring(at.text().lastIndexOf(':') + 1));
    Registry registry = LocateRegistry.getRegistry("127.0.0.1", port);
    registry.bind("tutti/" + group + "/" + number + "@", registry);
    return true;
  }

  @Override
  boolean tellsBeforeComplete() {
    return true;
  }

  /// Which names there are, and that names of others are looked at with care.
  @Test
  void whatIsBound() throws Exception {
    try (var process = LaunchedRmiRegistry.start(0)) {
      Registry registry = LocateRegistry.getRegistry("127.0.0.1", process.port);
      for (String name : new String[] {"@", "tutti/a%2Fb/@", "tutti/a%2Fb/%zz@", "tutti/a%2Fb/n+server+x+1@h:1"}) {
        registry.bind(name, registry);
      }
      registry.bind("tutti/a%2Fb/0@", registry); // the process that claimed it has crashed
      var at = new Address("127.0.0.1:" + process.port);
      var own = new Address("10.0.0.1:7");
      try (var server = process(at, "a/b", Role.SERVER, "s/1", own);
          var client = process(at, "a/b", Role.CLIENT, "c", own)) {
        assertThat(server.register().registrants()).hasSize(1);
        assertThat(registry.list())
            .contains("tutti/a%2Fb/2@")
            .anyMatch(name -> name.matches("tutti/a%2Fb/s%2F1\\+server\\+2\\+\\d+@10.0.0.1:7"));
        assertThat(client.register().id()).isOne();
      }
      assertThat(registry.list()).hasSize(5);
      try (var looking = RmiRegistryDiscovery.onlooker(at, "a/b");
          var odd = RmiRegistryDiscovery.member(at, "a/b", "n", new Address("n1"))) {
        assertThatThrownBy(() -> looking.inRole(Role.CLIENT, 1, 1)).isInstanceOf(IllegalStateException.class);
        assertThatIllegalArgumentException()
            .isThrownBy(() -> odd.inRole(Role.CLIENT, 1, 1))
            .withMessageContaining("n1");
      }
    }
    try (var nobody = process(new Address("127.0.0.1:1"), "g", Role.CLIENT, "c", new Address("10.0.0.1:7"))) {
      assertThatIOException().isThrownBy(nobody::register).withMessageStartingWith("no answer of rmiregistry");
    }
  }
}
