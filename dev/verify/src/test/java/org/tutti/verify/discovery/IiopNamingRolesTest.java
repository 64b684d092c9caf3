package org.tutti.verify.discovery;

import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.io.TempDir;
import org.omg.CORBA.ORB;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextHelper;
import org.tutti.corba.NamingDiscovery;
import org.tutti.transport.Address;
import org.tutti.transport.Discovery;
import org.tutti.transport.RoleRegistration;
import org.tutti.transport.RoleRegistration.Role;

/// Roles at CORBA's naming service, that of JacORB, a process of its own.
class IiopNamingRolesTest extends RoleRegistrationContract {
  @TempDir static Path directory;

  @Override
  AutoCloseable start(int port) throws Exception {
    return LaunchedNamingService.ofJacorb(port, directory);
  }

  @Override
  RoleRegistration process(Address registry, String group, Role role, String name, Address own) {
    return NamingDiscovery.member(registry, group, name, own).inRole(role, CLIENTS, SERVERS);
  }

  @Override
  Discovery member(Address registry, String group, String name, Address own) {
    return NamingDiscovery.member(registry, group, name, own);
  }

  @Override
  boolean crashWithAClaim(Address registry, String group, long number) throws Exception {
    ORB orb = ORB.init(new String[0], new Properties());
    try {
      NamingContext root =
          NamingContextHelper.narrow(orb.string_to_object("corbaloc:iiop:1.2@" + registry + "/NameService"));
      NameComponent[] name = {
        new NameComponent("Tutti", ""), new NameComponent(group, ""), new NameComponent("" + number, "")
      };
      root.bind(name, root);
    } finally {
      orb.destroy();
    }
    return true;
  }

  @Override
  boolean tellsBeforeComplete() {
    return true;
  }
}
