package org.tutti.ipc.ids;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.tutti.Node;
import org.tutti.replica.Client;
import org.tutti.replica.Replica;

/// Three replicas of the group-id server on loopback, each with a directory, and clients of theirs.
final class IdServers implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> NAMES = List.of("n1", "n2", "n3");

  private static final int PORT_MIN = 10_000;
  private static final int PORTS = 20_000;
  private static final int PORTS_EACH = 100; // a JVM begins so far from the next one
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * PORTS_EACH % PORTS));

  private record Running(Node node, Replica replica) {
    void close() {
      replica.close();
      node.close();
    }
  }

  private final Path directory;
  private final Map<String, String> addresses = new TreeMap<>();
  private final Map<String, String> ports = new TreeMap<>(); // for clients
  private final Map<String, Running> running = new TreeMap<>();
  private final List<Client> clients = new ArrayList<>();

  IdServers(Path directory) throws Exception {
    this.directory = directory;
    for (String name : NAMES) {
      addresses.put(name, free());
      ports.put(name, free());
    }
    startAll();
  }

  /// A port outside of the range from which the kernel gives ports to whoever asks for any.
  private static String free() throws IOException {
    while (true) {
      int port = PORT_MIN + NEXT.getAndIncrement() % PORTS;
      try (var _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return "127.0.0.1:" + port;
      } catch (BindException _) {
        // It is somebody else's.
      }
    }
  }

  void startAll() throws Exception {
    NAMES.forEach(this::start);
    for (Running one : running.values()) {
      one.replica.awaitServing(PATIENCE);
    }
  }

  private void start(String name) {
    Path own = directory.resolve(name);
    Node node =
        Node.named(name)
            .listen(addresses.get(name))
            .contacts(addresses.values().toArray(String[]::new))
            .data(own.resolve("log"))
            .start();
    Replica replica =
        Replica.of(GroupIdClient.SERVICE, new GroupIdServer())
            .clients(ports.get(name))
            .data(own.resolve("snapshots"))
            .expecting(NAMES.toArray(String[]::new))
            .start(node);
    running.put(name, new Running(node, replica));
  }

  /// Ends one, without a word to its clients.
  void end(String name) {
    running.remove(name).close();
  }

  void endAll() {
    List.copyOf(running.keySet()).forEach(this::end);
  }

  GroupIdClient client(Duration deadline) {
    Client client =
        Client.of(GroupIdClient.SERVICE).at(ports.values().toArray(String[]::new)).deadline(deadline).connect();
    clients.add(client);
    return new GroupIdClient(client, 1000); // quick
  }

  @Override
  public void close() {
    clients.forEach(Client::close);
    endAll();
  }
}
