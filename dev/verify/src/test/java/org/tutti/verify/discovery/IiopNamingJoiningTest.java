package org.tutti.verify.discovery;

import org.junit.jupiter.api.Tag;

/// Members meet at CORBA's naming service, that of JacORB.
@Tag("deep")
class IiopNamingJoiningTest extends RegistryJoiningContract {
  @Override
  String form() {
    return "naming";
  }

  @Override
  AutoCloseable start(int port) throws Exception {
    return LaunchedNamingService.start(port);
  }
}
