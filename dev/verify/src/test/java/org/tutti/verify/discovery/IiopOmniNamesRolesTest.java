package org.tutti.verify.discovery;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/// Roles at the naming service of another ORB, omniORB's.
@Tag("deep")
class IiopOmniNamesRolesTest extends IiopNamingRolesTest {
  @TempDir static Path directory;

  @Override
  AutoCloseable start(int port) throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/omniNames")),
        "omniNames is not installed (Debian: apt-get install omniorb-nameserver): no naming service of another ORB");
    Path forgotten = Files.createTempDirectory(directory, "names");
    Process process =
        new ProcessBuilder(
                "omniNames",
                "-start",
                "" + port,
                "-datadir",
                forgotten.toString(),
                "-ORBendPoint",
                "giop:tcp:127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(forgotten.resolve("output").toFile())
            .start();
    while (process.isAlive() && !isListening(port)) {
      Thread.onSpinWait();
    }
    return () -> process.destroyForcibly().waitFor();
  }

  private static boolean isListening(int port) {
    try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
