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
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.Node;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.blocks.Blocks;
import org.tutti.replica.Command;
import org.tutti.replica.Replica;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;

/// The program that runs at each member's node of a lab with clients: a replica of [Blocks], which writes what it
/// executes to its history. When standard input ends, the lab has gone, and so does the program.
///
/// Arguments: as those of [LabMember].
public final class LabReplica {
  /// The service's name.
  static final String SERVICE = "lab";

  /// Where replicas serve clients.
  static final int PORT = 8000;

  /// How long a session lives without a word of its client: less than some faults take, so that sessions expire, too.
  private static final Duration SESSION = Duration.ofSeconds(5);

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
    List<Address> contacts = Arrays.stream(args).skip(7).map(Address::new).toList();
    var address = new Address(args[1]);
    Node node =
        Node.named(args[0])
            .contacts(contacts)
            .transport(LabProgram.open(args[5], address, Long.parseLong(args[6])))
            .start();
    var journal = new HistoryWriter(Path.of(args[2]), node.self());
    journal.write(nanos -> new HistoryEntry.Entered(nanos, creates));
    new LabReplica(journal).start(node, args[1].split(":")[0], creates, Ordering.valueOf(args[4]));
    LabProgram.obey(_ -> {});
  }

  private void start(Node node, String host, boolean creates, Ordering ordering) {
    Replica.Builder replica =
        Replica.of(SERVICE, new Recorded())
            .clients(host + ":" + PORT)
            .insecure() // nobody else reaches the lab's network
            .session(SESSION)
            .ordering(ordering)
            .watch(new Recorder());
    (creates ? replica.founding() : replica).start(node);
  }

  private final class Recorder implements Replica.Watcher {
    @Override
    public void viewed(View view) {
      List<Integer> members = view.members().stream().map((MemberId member) -> journal.numberOf(member)).toList();
      journal.write(nanos -> new HistoryEntry.Viewed(nanos, view.id(), view.primary(), members, view.predecessors()));
    }

    @Override
    public void served(boolean serves, long position) {
      journal.write(nanos -> new HistoryEntry.Served(nanos, serves));
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
