package com.example.counter;

import java.nio.file.Path;
import java.util.Arrays;
import org.tutti.Node;
import org.tutti.replica.Replica;

/// A replica of the guide's service that survives the end of all: the same command at the first start and at each later
/// one. Arguments: name, own address, address for clients, directory, addresses of all.
public final class CounterServer {
  private CounterServer() {}

  private static Replica start(String name, String address, String clients, Path directory, String... contacts) {
    Node node = Node.named(name).listen(address).contacts(contacts).data(directory.resolve("log")).start();
    Replica.Builder replica =
        Replica.of("counter", new Counter()).clients(clients).data(directory.resolve("snapshots"));
    replica.snapshotEvery(Integer.getInteger("snapshot.every", 64 << 20));
    return replica.expecting("n1", "n2", "n3").start(node);
  }

  /// Serves until it is killed.
  ///
  /// @param args see the class
  public static void main(String[] args) {
    String[] contacts = Arrays.copyOfRange(args, 4, args.length);
    Replica replica = start(args[0], args[1], args[2], Path.of(args[3]), contacts);
    System.out.println("started at position " + replica.positionNext());
  }
}
