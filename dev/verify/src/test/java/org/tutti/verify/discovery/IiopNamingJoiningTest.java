package org.tutti.verify.discovery;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Members meet at CORBA's naming service, that of JacORB.
@Tag("deep")
class IiopNamingJoiningTest extends RegistryJoiningContract {
  @TempDir Path directory;

  @Override
  String form() {
    return "naming";
  }

  @Override
  AutoCloseable start(int port) throws Exception {
    return LaunchedNamingService.ofJacorb(port, directory);
  }
}
