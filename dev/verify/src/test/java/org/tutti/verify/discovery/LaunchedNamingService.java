package org.tutti.verify.discovery;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;

/// JacORB's naming service, a process of its own, on one port of loopback. It keeps what it knows in its directory when
/// it ends by itself, and goes on from there; so each has another one.
final class LaunchedNamingService {
  private LaunchedNamingService() {}

  /// @return ends it
  static AutoCloseable start(int port) throws Exception {
    Path directory = Files.createTempDirectory("naming");
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
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    BufferedReader said = process.inputReader();
    String line = said.readLine();
    while (line != null && !line.startsWith("SERVER IOR: ")) {
      line = said.readLine();
    }
    return () -> {
      process.destroyForcibly().waitFor();
      Files.delete(directory); // killed, it has written nothing
    };
  }
}
