package org.tutti.verify.discovery;

/// Members meet at a registry of Java RMI.
class RmiRegistryJoiningTest extends RegistryJoiningContract {
  @Override
  String form() {
    return "rmiregistry";
  }

  @Override
  AutoCloseable start(int port) throws Exception {
    return LaunchedRmiRegistry.start(port);
  }
}
