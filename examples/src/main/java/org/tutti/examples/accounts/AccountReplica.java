package org.tutti.examples.accounts;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.Service;
import org.tutti.StateSink;
import org.tutti.View;

/// A replica of the accounts service: takes the group's events in order and keeps its ledger by them.
///
/// One thread, that of [#run], owns the ledger. It takes events in runs: everything that is there is applied, then
/// committed as one SQL transaction, then answered; so replies promise what is in the database, and the busier the
/// group, the fewer commits per request.
///
/// Clients are served while the replica is in a primary view and its ledger holds all of the history so far. When it is
/// cut off they are told which of their requests are undecided, and turned away until it is back and caught up.
///
/// With a durability, what the replica knows is in its [ReplicaDirectory]: when all replicas have died and are started
/// again, the group goes on where it was.
public final class AccountReplica {
  private static final String GROUP = "accounts";
  private static final int RUN_MAX = 1000;
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);
  private static final int REPORT_EVERY_BYTES = 1 << 16;

  /// A reply that waits for the commit.
  private record Answer(long client, Reply reply) {}

  private final Group group;
  private final ReplicaDirectory own;
  private final Ledger ledger;
  private final ClientPort clients;
  private final Consumer<StatusLine> reports;
  private final List<Answer> answers = new ArrayList<>();
  private boolean able; // whether the ledger holds all of the history up to here, in a primary view
  private boolean serving;
  private String said = ""; // of what it waits for

  AccountReplica(Group group, ReplicaDirectory own, ClientPort clients, Consumer<StatusLine> reports) {
    this.group = group;
    this.own = own;
    this.ledger = own.ledger();
    this.clients = clients;
    this.reports = reports;
  }

  /// Runs a replica process until it is told `quit` on its standard input, or that ends.
  ///
  /// @param args `--name=NAME --role=create|join --order=ORDERING --transport=NAME --listen=HOST:PORT
  ///             [--advertise=HOST:PORT] --contacts=HOST:PORT,... --clients=HOST:PORT --data=DIR
  ///             [--fsync=NONE|VIEWS|EACH]`
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
    boolean creator = arguments.text("role").equals("create");
    var durability = Durability.valueOf(arguments.has("fsync") ? arguments.text("fsync") : "NONE");
    try (ReplicaDirectory own = ReplicaDirectory.open(Path.of(arguments.text("data")), durability, creator);
        Node node = node(arguments).storage(own.storage()).start()) {
      GroupConfig config =
          GroupConfig.builder()
              .stateTransfer(true)
              .ordering(Ordering.valueOf(arguments.text("order")))
              .durability(own.durability())
              .build();
      Group group = creator ? node.create(GROUP, config, own.member()) : node.join(GROUP, config, own.member());
      var multicaster = new RequestMulticaster(group);
      try (var clients = new ClientPort(arguments.endpoint("clients"), multicaster::submit)) {
        var told = new AtomicBoolean();
        ParentWatch.hold(command -> obey(command, group, own.ledger(), multicaster, told));
        String reason = new AccountReplica(group, own, clients, StatusLine::print).run();
        if (!told.get()) {
          throw new IllegalStateException("the membership of " + GROUP + " ended: " + reason);
        }
      }
    }
  }

  private static NodeBuilder node(Arguments arguments) {
    NodeBuilder node =
        Node.named(arguments.text("name"))
            .transport(arguments.text("transport"))
            .listen(arguments.text("listen"))
            .contacts(arguments.list("contacts").toArray(String[]::new));
    if (arguments.has("advertise")) {
      node.advertise(arguments.text("advertise"));
    }
    if (arguments.has("tls")) {
      node.tls(Path.of(arguments.text("tls")));
    }
    return node;
  }

  private static void obey(
      String command, Group group, Ledger ledger, RequestMulticaster multicaster, AtomicBoolean told) {
    switch (command) {
      case "status" ->
          new StatusLine.Status(
                  ledger.next(),
                  ledger.retries(),
                  multicaster.undecided(),
                  multicaster.decided(),
                  StatusLine.names(group.view()))
              .print();
      case "quit" -> {
        told.set(true);
        group.leave();
      }
      default -> System.err.println("status or quit, not " + command);
    }
  }

  /// Serves until the membership ends.
  ///
  /// @return why it ended
  /// @throws InterruptedException when interrupted; what was applied last may not be committed
  /// @throws SQLException         when the database fails; a replica that cannot apply must not go on
  /// @throws IOException          when clients cannot be accepted
  public String run() throws InterruptedException, SQLException, IOException {
    while (true) {
      @Nullable Event event = next();
      for (int i = 1; event != null; i++) {
        if (event instanceof Event.Closed(End end)) {
          commitAndAnswer();
          return end.words();
        }
        handle(event);
        event = i < RUN_MAX ? group.receive(Duration.ZERO) : null;
      }
      commitAndAnswer();
      serve();
    }
  }

  /// Waits for an event. A replica that goes on with what it kept says what it waits for until it serves.
  private Event next() throws InterruptedException {
    if (serving || !own.isDurable()) {
      return group.receive();
    }
    Event event = group.receive(LOOK_EVERY);
    while (event == null) {
      String status = group.status().toString();
      if (!status.equals(said)) {
        said = status;
        reports.accept(new StatusLine.Waiting(status));
      }
      event = group.receive(LOOK_EVERY);
    }
    return event;
  }

  private void handle(Event event) throws SQLException, InterruptedException {
    switch (event) {
      case Event.Delivery(_, Service service, long position, ByteBuffer payload) -> {
        if (service == Service.TOTAL) { // others would come at different moments at different replicas
          apply(position, payload);
        }
      }
      case Event.ViewChange(View view) -> {
        able &= view.primary();
        reports.accept(StatusLine.installed(view));
      }
      case Event.CaughtUp _ -> able = true;
      case Event.StateRequest request -> giveState(request);
      case Event.StateOffer offer -> takeState(offer);
      case Event.Propagated _, Event.LocalCall _ -> throw new AssertionError("nobody asked: " + event);
      case Event.Closed _ -> throw new AssertionError("handled by run");
    }
  }

  private void apply(long position, ByteBuffer payload) throws SQLException {
    ClientRequest request;
    try {
      request = ClientRequest.decode(payload);
    } catch (IllegalArgumentException e) {
      // Not from a replica: somebody else multicasts here. All replicas see the same bytes and skip them alike.
      System.err.println("position " + position + " holds no request: " + e.getMessage());
      ledger.pass(position);
      return;
    }
    answers.add(new Answer(request.client(), ledger.apply(position, request)));
  }

  private void commitAndAnswer() throws SQLException {
    ledger.commit();
    own.committed(group);
    answers.forEach(answer -> clients.reply(answer.client(), answer.reply()));
    answers.clear();
  }

  /// Freezes the ledger at this event and streams it from another thread while deliveries go on.
  private void giveState(Event.StateRequest request) throws SQLException {
    Snapshot snapshot = ledger.snapshot();
    Thread.ofVirtual()
        .name("state for " + request.newcomer())
        .start(() -> {
          try (snapshot;
              StateSink sink = request.sink()) {
            snapshot.writeTo(sink);
            sink.complete();
          } catch (IOException _) {
            // The newcomer has gone. If it comes again it asks again.
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private void takeState(Event.StateOffer offer) throws SQLException {
    able = false;
    commitAndAnswer(); // what was applied before must not be undone with a transfer that fails
    try (Metered source = new Metered(offer.source())) {
      ledger.restore(source, offer.position());
      own.force(group);
      reports.accept(new StatusLine.Received(source.bytes));
    } catch (IOException _) {
      // The donor has gone, and the ledger is as it was before: another offer follows.
    }
  }

  /// Begins to serve clients once everything that was delivered is applied, and ceases when it is cut off.
  private void serve() throws IOException {
    if (able && !serving) {
      clients.open();
      reports.accept(new StatusLine.CaughtUp(ledger.next()));
    } else if (!able && serving) {
      clients.suspend();
      reports.accept(new StatusLine.Suspended(ledger.next()));
    }
    serving = able;
  }

  /// Reports how much state has arrived.
  private final class Metered extends FilterInputStream {
    private long bytes;
    private long reported = -REPORT_EVERY_BYTES;

    Metered(InputStream source) {
      super(source);
    }

    @Override
    public int read() throws IOException {
      int value = super.read();
      count(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      int count = super.read(into, offset, length);
      count(Math.max(count, 0));
      return count;
    }

    private void count(int more) {
      bytes += more;
      if (bytes - reported >= REPORT_EVERY_BYTES) {
        reported = bytes;
        reports.accept(new StatusLine.Receiving(bytes));
      }
    }
  }
}
