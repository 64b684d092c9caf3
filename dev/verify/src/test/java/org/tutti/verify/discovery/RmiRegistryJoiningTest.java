package org.tutti.verify.discovery;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Members meet at a registry of Java RMI.
class RmiRegistryJoiningTest extends RegistryJoiningContract {
  /// In a quick build another registry shows this, and [RmiRegistryHostsTest] that members meet at this one.
  @Override
  @Test
  @Tag("deep")
  void membersJoinLeaveCrashAndComeBack() throws Exception {
    super.membersJoinLeaveCrashAndComeBack();
  }

  @Override
  String form() {
    return "rmiregistry";
  }

  @Override
  AutoCloseable start(int port) throws Exception {
    return LaunchedRmiRegistry.start(port);
  }
}
