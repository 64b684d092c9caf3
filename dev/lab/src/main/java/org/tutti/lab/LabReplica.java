package org.tutti.lab;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.NodeBuilder;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.blocks.Blocks;
import org.tutti.replica.Command;
import org.tutti.replica.Replica;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;

/// The program that runs at each member's node of a lab with clients: a replica of [Blocks], which writes what it
/// executes to its history, and says on standard output which views it sees and when it serves. When standard input
/// ends, the lab has gone, and so does the program; on SIGTERM it leaves in order.
///
/// Arguments: as those of [LabMember]. Instead of `create` or `join` it may be `data:DIR`: then the replica keeps the
/// service in that directory, and all whose addresses are given found it together.
public final class LabReplica {
  /// The service's name.
  static final String SERVICE = "lab";

  /// Where replicas serve clients.
  static final int PORT = 8000;

  /// How long a session lives without a word of its client: less than some faults take, so that sessions expire, too.
  private static final Duration SESSION = Duration.ofSeconds(5);

  private static final String DATA = "data:";
  private static final int SNAPSHOT_EVERY_BYTES = 64 << 10; // so that each life of a replica has some

  private final HistoryWriter journal;

  private LabReplica(HistoryWriter journal) {
    this.journal = journal;
  }

  /// Runs a replica until its standard input ends.
  ///
  /// @param args see above
  /// @throws Exception when it cannot be started
  public static void main(String[] args) throws Exception {
    LabProgram.haltOnFailure();
    boolean creates = args[3].equals("create");
    Path data = args[3].startsWith(DATA) ? Path.of(args[3].substring(DATA.length())) : null;
    List<Address> contacts = Arrays.stream(args).skip(7).map(Address::new).toList();
    var address = new Address(args[1]);
    NodeBuilder node =
        Node.named(args[0]).contacts(contacts).transport(LabProgram.open(args[5], address, Long.parseLong(args[6])));
    if (data != null) {
      node.data(data.resolve("log"));
    }
    Node running = node.start();
    var journal = new HistoryWriter(Path.of(args[2]), running.self());
    journal.write(nanos -> new HistoryEntry.Entered(nanos, creates));
    var program = new LabReplica(journal);
    Replica.Builder replica = program.settings(args[1].split(":")[0], Ordering.valueOf(args[4]));
    if (creates) {
      replica.founding();
    } else if (data != null) {
      replica.data(data.resolve("snapshots")).snapshotEvery(SNAPSHOT_EVERY_BYTES).expecting(contacts.size());
    }
    Replica started = replica.start(running);
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> leave(started, running)));
    LabProgram.obey(_ -> {});
  }

  private static void leave(Replica replica, Node node) {
    replica.close();
    node.close();
  }

  private Replica.Builder settings(String host, Ordering ordering) {
    return Replica.of(SERVICE, new Recorded())
        .clients(host + ":" + PORT)
        .insecure() // nobody else reaches the lab's network
        .session(SESSION)
        .ordering(ordering)
        .watch(new Recorder());
  }

  private final class Recorder implements Replica.Watcher {
    @Override
    public void viewed(View view) {
      List<Integer> members = view.members().stream().map((MemberId member) -> journal.numberOf(member)).toList();
      journal.write(nanos -> new HistoryEntry.Viewed(nanos, view.id(), view.primary(), members, view.predecessors()));
      String names = view.members().stream().map(MemberId::name).collect(Collectors.joining(" "));
      System.out.println((view.primary() ? "primary" : "other") + " view in version " + view.version() + ": " + names);
    }

    @Override
    public void served(boolean serves, long position) {
      journal.write(nanos -> new HistoryEntry.Served(nanos, serves));
      System.out.println(serves ? "serves" : "does not serve");
    }
  }

  /// Blocks, with a chain of hashes over all commands and replies.
  private final class Recorded implements StateMachine {
    private final Blocks blocks = new Blocks();
    private long chain;

    @Override
    public ByteBuffer apply(Command command) {
      long asked = LabMessage.hash(command.payload().duplicate());
      ByteBuffer reply = blocks.apply(command);
      chain = LabMessage.step(LabMessage.step(chain, asked), LabMessage.hash(reply.duplicate()));
      long now = chain;
      journal.write(
          nanos -> new HistoryEntry.Executed(nanos, command.position(), command.session(), command.number(), now));
      return reply;
    }

    @Override
    public @Nullable ByteBuffer query(ByteBuffer request) {
      return blocks.query(request);
    }

    @Override
    public void sessionEnded(long session, long position, Instant time) {
      blocks.sessionEnded(session, position, time);
    }

    @Override
    public Snapshot snapshot() {
      long now = chain;
      Snapshot picture = blocks.snapshot();
      return out -> {
        new DataOutputStream(out).writeLong(now);
        picture.writeTo(out);
      };
    }

    @Override
    public void restore(InputStream in) throws IOException {
      chain = new DataInputStream(in).readLong();
      blocks.restore(in);
    }
  }
}
