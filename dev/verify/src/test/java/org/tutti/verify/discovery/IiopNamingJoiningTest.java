package org.tutti.verify.discovery;

import java.io.BufferedReader;
import java.nio.file.Path;
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
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process =
        new ProcessBuilder(
                java,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "-DOAIAddr=127.0.0.1",
                "-DOAPort=" + port,
                "-Djacorb.naming.print_ior=on",
                "org.jacorb.naming.NameServer")
            .redirectErrorStream(true)
            .start();
    BufferedReader said = process.inputReader();
    String line = said.readLine();
    while (line != null && !line.startsWith("SERVER IOR: ")) {
      line = said.readLine();
    }
    return () -> process.destroyForcibly().waitFor();
  }
}
