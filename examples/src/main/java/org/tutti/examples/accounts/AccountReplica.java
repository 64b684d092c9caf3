package org.tutti.examples.accounts;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.tutti.Durability;
import org.tutti.Metric;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.replica.Command;
import org.tutti.replica.Replica;
import org.tutti.replica.StateMachine;

/// A process of the service: the [Ledger], replicated. All else here is what it tells the demo.
public final class AccountReplica {
  static final String SERVICE = "accounts";

  private static final Duration LOOK_EVERY = Duration.ofMillis(500);
  private static final int SNAPSHOT_EVERY = 256 << 10; // so that a demo of some seconds has some

  private AccountReplica() {}

  /// Runs a replica process until it is told `quit` on its standard input, or that ends.
  ///
  /// @param args `--name=NAME --role=create|join --order=ORDERING --transport=NAME --listen=HOST:PORT
  ///             [--advertise=HOST:PORT] --contacts=HOST:PORT,... --clients=HOST:PORT --data=DIR
  ///             [--fsync=NONE|VIEWS|EACH] [--tls=DIR]`
  /// @throws Exception whatever prevents it from serving; the process ends with an exit code that is not 0
  public static void main(String[] args) throws Exception {
    var arguments =
        new Arguments(
            args,
            Set.of(
                "name",
                "role",
                "order",
                "transport",
                "tls",
                "listen",
                "advertise",
                "contacts",
                "clients",
                "data",
                "fsync"));
    var durability = Durability.valueOf(arguments.has("fsync") ? arguments.text("fsync") : "NONE");
    Path data = Files.createDirectories(Path.of(arguments.text("data")));
    try (Ledger ledger = Ledger.open(data);
        Node node = node(arguments, durability).start();
        Replica replica = replica(arguments, durability, ledger).start(node)) {
      var quit = new CountDownLatch(1);
      ParentWatch.hold(command -> obey(command, replica, quit));
      serve(replica, quit, durability != Durability.NONE);
    }
  }

  private static NodeBuilder node(Arguments arguments, Durability durability) {
    NodeBuilder node =
        Node.named(arguments.text("name"))
            .transport(arguments.text("transport"))
            .listen(arguments.text("listen"))
            .contacts(arguments.list("contacts").toArray(String[]::new));
    if (durability != Durability.NONE) {
      node.data(Path.of(arguments.text("data"), "log"));
    }
    if (arguments.has("advertise")) {
      node.advertise(arguments.text("advertise"));
    }
    if (arguments.has("tls")) {
      node.tls(Path.of(arguments.text("tls")));
    }
    return node;
  }

  private static Replica.Builder replica(Arguments arguments, Durability durability, Ledger ledger) {
    Replica.Builder replica =
        Replica.of(SERVICE, new Told(ledger))
            .clients(arguments.text("clients"))
            .ordering(Ordering.valueOf(arguments.text("order")))
            .watch(new Reports());
    if (arguments.text("role").equals("create")) {
      replica.founding();
    }
    if (durability != Durability.NONE) {
      Path snapshots = Path.of(arguments.text("data"), "snapshots");
      replica.data(snapshots).durability(durability).snapshotEvery(SNAPSHOT_EVERY);
    }
    return replica;
  }

  private static void obey(String command, Replica replica, CountDownLatch quit) {
    switch (command) {
      case "status" ->
          new StatusLine.Status(
                  replica.positionNext(),
                  Metric.sum(replica.metrics(), "replica.commands.repeated"),
                  StatusLine.names(replica.group().view()))
              .print();
      case "quit" -> quit.countDown();
      default -> System.err.println("status or quit, not " + command);
    }
  }

  /// Serves until it is told to quit. A replica that goes on with what it kept says what it waits for until it serves.
  private static void serve(Replica replica, CountDownLatch quit, boolean isDurable) throws InterruptedException {
    String said = "";
    while (!quit.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
      Throwable why = replica.ended();
      if (why != null) {
        throw new IllegalStateException("the replica of " + SERVICE + " ended", why);
      }
      String status = replica.status().toString();
      if (isDurable && !replica.isServing() && !status.equals(said)) {
        said = status;
        new StatusLine.Waiting(status).print();
      }
    }
  }

  private static final class Reports implements Replica.Watcher {
    @Override
    public void viewed(View view) {
      StatusLine.installed(view).print();
    }

    @Override
    public void served(boolean serves, long position) {
      (serves ? new StatusLine.CaughtUp(position) : new StatusLine.Suspended(position)).print();
    }
  }

  /// The ledger, of which is told how much of a state has arrived.
  private record Told(Ledger ledger) implements StateMachine {
    private static final int EVERY_BYTES = 1 << 16;

    @Override
    public ByteBuffer apply(Command command) {
      return ledger.apply(command);
    }

    @Override
    public ByteBuffer query(ByteBuffer request) {
      return ledger.query(request);
    }

    @Override
    public Snapshot snapshot() {
      return ledger.snapshot();
    }

    @Override
    public void restore(InputStream in) throws IOException {
      var metered = new Metered(in);
      ledger.restore(metered);
      new StatusLine.Received(metered.bytes).print();
    }

    private static final class Metered extends FilterInputStream {
      private long bytes;
      private long reported = -EVERY_BYTES;

      Metered(InputStream source) {
        super(source);
      }

      @Override
      public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        bytes += Math.max(count, 0);
        if (bytes - reported >= EVERY_BYTES) {
          reported = bytes;
          new StatusLine.Receiving(bytes).print();
        }
        return count;
      }
    }
  }
}
