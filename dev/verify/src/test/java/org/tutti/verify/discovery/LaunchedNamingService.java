package org.tutti.verify.discovery;

import java.io.BufferedReader;
import java.nio.file.Path;

/// JacORB's naming service, a process of its own, on one port of loopback.
final class LaunchedNamingService {
  private LaunchedNamingService() {}

  /// @return ends it
  static AutoCloseable start(int port) throws Exception {
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
