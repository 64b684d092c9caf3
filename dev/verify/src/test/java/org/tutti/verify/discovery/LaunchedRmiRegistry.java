package org.tutti.verify.discovery;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.rmi.registry.LocateRegistry;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/// The JDK's registry, as `rmiregistry` runs it, but on one interface: a process that knows nothing of Tutti.
final class LaunchedRmiRegistry implements AutoCloseable {
  private final Process process;
  final int port;

  private LaunchedRmiRegistry(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  static List<String> command(String host, int port) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    // Only this class: what members bind must not need any of Tutti's.
    String own = Path.of(LaunchedRmiRegistry.class.getProtectionDomain().getCodeSource().getLocation().toURI()) + "";
    return List.of(
        java,
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Xmx64m",
        "-cp",
        own,
        LaunchedRmiRegistry.class.getName(),
        host,
        "" + port);
  }

  /// @param port 0 for any
  static LaunchedRmiRegistry start(int port) throws Exception {
    Process process =
        new ProcessBuilder(command("127.0.0.1", port)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = process.inputReader().readLine();
    return new LaunchedRmiRegistry(process, Integer.parseInt(line));
  }

  @Override
  public void close() {
    kill();
  }

  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /// Runs a registry until it is killed.
  public static void main(String[] args) throws IOException, InterruptedException {
    var listener = new ServerSocket(Integer.parseInt(args[1]), 50, InetAddress.getByName(args[0]));
    System.setProperty("java.rmi.server.hostname", args[0]);
    LocateRegistry.createRegistry(listener.getLocalPort(), null, _ -> listener);
    System.out.println(listener.getLocalPort());
    new CountDownLatch(1).await(); // a registry alone does not keep its process
  }
}
