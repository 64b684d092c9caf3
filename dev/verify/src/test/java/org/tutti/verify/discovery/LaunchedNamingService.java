package org.tutti.verify.discovery;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tutti.verify.transport.IiopPrograms;

/// A CORBA naming service, a process of its own, on one port of loopback. It may keep what it knows in its directory,
/// and go on from there; so each has another one.
public final class LaunchedNamingService {
  private LaunchedNamingService() {}

  /// Starts that of JacORB.
  ///
  /// @param port   where it listens
  /// @param within a directory in which it gets its own
  /// @return ends it
  public static AutoCloseable ofJacorb(int port, Path within) throws IOException {
    Process process =
        start(
            within,
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            "-DOAIAddr=127.0.0.1",
            "-DOAPort=" + port,
            "-Djacorb.naming.print_ior=on",
            "org.jacorb.naming.NameServer");
    BufferedReader said = process.inputReader();
    String line = said.readLine();
    while (line != null && !line.startsWith("SERVER IOR: ")) {
      line = said.readLine();
    }
    return () -> process.destroyForcibly().waitFor();
  }

  /// Starts that of omniORB, or skips the test where there is none.
  ///
  /// @param port   where it listens
  /// @param within a directory in which it gets its own
  /// @return ends it
  public static AutoCloseable ofOmniOrb(int port, Path within) throws IOException {
    IiopPrograms.assume(
        Files.isExecutable(Path.of("/usr/bin/omniNames")),
        "omniNames is not installed (Debian: apt-get install omniorb-nameserver): no naming service of another ORB");
    Process process =
        start(within, "omniNames", "-start", "" + port, "-datadir", ".", "-ORBendPoint", "giop:tcp:127.0.0.1:" + port);
    while (process.isAlive() && !isListening(port)) {
      Thread.onSpinWait();
    }
    return () -> process.destroyForcibly().waitFor();
  }

  private static Process start(Path within, String... command) throws IOException {
    Path own = Files.createTempDirectory(within, "names");
    return new ProcessBuilder(List.of(command)).directory(own.toFile()).redirectErrorStream(true).start();
  }

  private static boolean isListening(int port) {
    try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
