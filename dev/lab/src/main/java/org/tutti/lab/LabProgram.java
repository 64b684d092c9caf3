package org.tutti.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.tutti.net.tcp.TcpConfig;
import org.tutti.net.tcp.TcpTransport;
import org.tutti.net.udp.UdpConfig;
import org.tutti.net.udp.UdpKey;
import org.tutti.net.udp.UdpTransport;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;

/// What the programs at a lab's nodes have in common: they end with their lab, and when a thread fails.
final class LabProgram {
  private static final int ORPHAN = 3; // exit code of a process whose lab has gone
  private static final int BROKEN = 70; // exit code of a process in which a thread failed

  private LabProgram() {}

  /// Ends the process as soon as a thread fails.
  static void haltOnFailure() {
    Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
      System.err.println("in thread '" + thread.getName() + "':");
      failure.printStackTrace();
      Runtime.getRuntime().halt(BROKEN);
    });
  }

  /// Obeys the lines of standard input; when it ends, the lab has gone, and so does the process.
  static void obey(Consumer<String> command) {
    try (var lines = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        command.accept(line);
      }
    } catch (IOException gone) {
      // As good as an end.
    }
    Runtime.getRuntime().halt(ORPHAN);
  }

  /// Nobody else reaches the lab's network, so TCP does without TLS. UDP asks for a key off the loopback interface; all
  /// members make the same one from the lab's seed.
  static Transport open(String transport, Address at, long seed) {
    if (transport.equals("udp")) {
      var key = new byte[UdpKey.BYTES];
      new SplittableRandom(seed).nextBytes(key);
      return UdpTransport.open(at, UdpConfig.lan().withKey(UdpKey.of(key)));
    }
    // Unix domain sockets would lead past the network.
    return TcpTransport.open(at, TcpConfig.lan().withSocketDirectory(null).withInsecure());
  }
}
