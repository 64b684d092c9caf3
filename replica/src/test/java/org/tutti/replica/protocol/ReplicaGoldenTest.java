package org.tutti.replica.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.ViewId;
import org.tutti.fixture.Golden;
import org.tutti.replica.Answer;
import org.tutti.replica.ClientGroup;
import org.tutti.replica.Command;
import org.tutti.replica.PassiveStateMachine;
import org.tutti.replica.Read;
import org.tutti.replica.Replication;
import org.tutti.replica.StateComparison;
import org.tutti.replica.consolidation.Reply;
import org.tutti.transport.Address;

/// The bytes between clients and replicas, between replicas, and of what replicas keep.
class ReplicaGoldenTest {
  private static final SessionTable.Secret SECRET = new SessionTable.Secret(1, -2);
  private static final MemberId A = new MemberId("a", new Address("a:1"), 3);
  private static final MemberId B = new MemberId("\u00fc", new Address("b:1"), 1L << 40);

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(US_ASCII));
  }

  private static byte[] taken(ByteBuffer from) {
    byte[] bytes = new byte[from.remaining()];
    from.duplicate().get(bytes);
    return bytes;
  }

  private static Golden.Format<Frame> frames() {
    return new Golden.Format<>() {
      @Override
      public byte[] write(Frame frame) {
        return taken(frame.encode());
      }

      @Override
      public Frame read(byte[] bytes) throws Exception {
        return Frame.decode(ByteBuffer.wrap(bytes, Integer.BYTES, bytes.length - Integer.BYTES));
      }
    };
  }

  private static Frame bundle() {
    var done = new CommandReply(CommandReply.Status.DONE, 9, bytes("ok"));
    var failed = new CommandReply(CommandReply.Status.FAILED, 9, bytes("no"));
    MemberId third = new MemberId("c", new Address("c:1"), 4);
    MemberId fourth = new MemberId("d", new Address("d:1"), 5);
    var replies = List.of(new Reply<>(B, done), new Reply<>(A, done), new Reply<>(fourth, failed));
    return new Frame.Bundle(17, 2, List.of(A, B, third, fourth), List.of(third), replies);
  }

  @Test
  void clientFrames() {
    var digests = new TreeMap<>(Map.of("n1", -1L, "\u00fc", 7L));
    var format = frames();
    Golden golden = new Golden("replica", "client-frame", "between clients and replicas, behind its length: `Frame`");
    golden
        .example("hello", new Frame.Hello("bank", Frame.NO_POLICY), format)
        .example("hello of who wants bundles", new Frame.Hello("bank", Frame.BUNDLED | 0x0002_0100), format)
        .example("open", new Frame.Open(-5, SECRET), format)
        .example("resume", new Frame.Resume(17, SECRET, true), format)
        .example("call", new Frame.Call(17, 2, 1, false, bytes("deposit")), format)
        .example("call that was given up", new Frame.Call(17, 3, 3, true, bytes("")), format)
        .example("ping", new Frame.Ping(), format)
        .example("close", new Frame.Close(17), format)
        .example("forget", new Frame.Forget(3), format)
        .example("compare", new Frame.Compare(3), format)
        .example("welcome", new Frame.Welcome(256, 60_000, 4, List.of("a:1", "\u00fc:2")), format)
        .example("opened", new Frame.Opened(-5, 17), format)
        .example("answer", new Frame.Answer(3, true, 12, bytes("no")), format)
        .example("away", new Frame.Away(List.of()), format)
        .example("replicas", new Frame.Replicas(List.of("a:1")), format)
        .example("move", new Frame.Move("a:1"), format)
        .example("redirected", new Frame.Redirected("b:2"), format)
        .example("live", new Frame.Live(new ViewId(4, 5, 6), B, List.of(A, B), List.of(B)), format)
        .example("bundle", bundle(), format)
        .example("compared", new Frame.Compared(3, new StateComparison(12, digests, List.of("n3"))), format)
        .example("agreed", new Frame.Agreed(1), format)
        .example("pong", new Frame.Pong(), format)
        .example("wrong", new Frame.Wrong("no"), format);
    for (Read read : Read.values()) {
      golden.example("query " + read, new Frame.Query(3, read, 12, bytes("sum")), format);
    }
    for (CommandReply.Status status : CommandReply.Status.values()) {
      golden.example("reply " + status, new Frame.Replied(17, 2, new CommandReply(status, 9, bytes("ok"))), format);
    }
    for (SessionTable.Refusal why : SessionTable.Refusal.values()) {
      golden.example("refused " + why, new Frame.Refused(17, 2, why), format);
    }
    golden.covers(Frame.class).check();
  }

  @Test
  void groupCalls() {
    var format =
        new Golden.Format<GroupCallMessage>() {
          @Override
          public byte[] write(GroupCallMessage message) {
            return taken(message.encode());
          }

          @Override
          public GroupCallMessage read(byte[] bytes) throws Exception {
            return GroupCallMessage.read(ByteBuffer.wrap(bytes));
          }
        };
    new Golden("replica", "group-call", "payloads of members that call each other: `GroupCallMessage`")
        .example("call", new GroupCallMessage.Call(300, bytes("sum")), format)
        .example("reply", new GroupCallMessage.Reply(B, 300, new Answer(false, bytes("7"), 1000)), format)
        .example("failure", new GroupCallMessage.Reply(A, 1, new Answer(true, bytes("no"), -1)), format)
        .example("skipped", new GroupCallMessage.Skipped(300, 1000), format)
        .covers(GroupCallMessage.class)
        .check();
  }

  @Test
  void clientGroups() {
    var format =
        new Golden.Format<ClientGroupMessage>() {
          @Override
          public byte[] write(ClientGroupMessage message) {
            return taken(message.encode());
          }

          @Override
          public ClientGroupMessage read(byte[] bytes) throws Exception {
            return ClientGroupMessage.read(ByteBuffer.wrap(bytes));
          }
        };
    var places = List.of(new ClientGroupMessage.Place(1, 300), new ClientGroupMessage.Place(2, 0));
    Golden golden =
        new Golden("replica", "client-group", "in groups of clients and servers: `ClientGroupMessage`")
            .example("begin", new ClientGroupMessage.Begin(300, "a:1"), format)
            .example("begun", new ClientGroupMessage.Begun(300), format)
            .example("said", new ClientGroupMessage.Said(places, bytes("call")), format)
            .example("answered", new ClientGroupMessage.Answered(places.getFirst(), bytes("reply")), format)
            .example("ended", new ClientGroupMessage.Ended(300), format);
    for (ClientGroup.Kind kind : ClientGroup.Kind.values()) {
      for (Ordering ordering : List.of(Ordering.SEQUENCER, Ordering.SYMMETRIC)) {
        var invite = new ClientGroupMessage.Invite("bank.client.c.1.1", kind, ordering, true);
        golden.example("invite " + kind + " " + ordering, invite, format);
      }
    }
    golden.covers(ClientGroupMessage.class).check();
  }

  /// A service whose state is the commands that it has executed.
  private static final class Listing implements PassiveStateMachine {
    private final List<String> told = new ArrayList<>();

    @Override
    public ByteBuffer apply(Command command) {
      told.add(
          "session "
              + command.session()
              + " at "
              + command.time().toEpochMilli()
              + ": "
              + US_ASCII.decode(command.payload()));
      return bytes("done");
    }

    @Override
    public Outcome execute(Command command) {
      throw new AssertionError("this replica is not the primary");
    }

    @Override
    public void change(long position, ByteBuffer change) {
      told.add("changed for " + position + ": " + US_ASCII.decode(change.duplicate()));
    }

    @Override
    public void sessionEnded(long session, long position, Instant time) {
      told.add("end of session " + session + " at " + time.toEpochMilli());
    }

    @Override
    public Snapshot snapshot() {
      return _ -> {};
    }

    @Override
    public void restore(InputStream in) {}
  }

  private static final class Telling implements SessionTable.Answers {
    private final List<String> told;

    Telling(List<String> told) {
      this.told = told;
    }

    @Override
    public void opened(long nonce, long session) {
      told.add("opened " + session + " for " + nonce);
    }

    @Override
    public void replied(long session, long number, CommandReply reply) {
      told.add("replied to " + number + " of " + session + ": " + reply.status());
    }

    @Override
    public void refused(long session, long number, SessionTable.Refusal why) {
      told.add("refused " + number + " of " + session + ": " + why);
    }
  }

  private record Effect(int kind, List<String> told, long time, int sessions) {}

  /// A table with one session, number 3, that has made a call.
  private static SessionTable table(Replication replication, Listing service) {
    var table = new SessionTable();
    var limits = new SessionTable.Limits(60_000, 2, 3, 1000);
    var nobody = new Telling(new ArrayList<>());
    table.apply("a", 0, OrderedMessage.configure(limits, replication), service, nobody);
    table.apply("a", 1, OrderedMessage.announce("a:1"), service, nobody);
    table.apply("a", 2, OrderedMessage.open(10, 7, SECRET), service, nobody);
    table.apply("a", 3, OrderedMessage.call(11, 3, 1, 1, false, bytes("deposit")), service, nobody);
    service.told.clear();
    return table;
  }

  /// What a message does to that table.
  private static Effect effect(Replication replication, byte[] message) {
    var service = new Listing();
    SessionTable table = table(replication, service);
    table.apply("a", 4, ByteBuffer.wrap(message), service, new Telling(service.told));
    return new Effect(message[0], List.copyOf(service.told), table.time(), table.sessions());
  }

  private static Golden.Reading<Effect> active() {
    return bytes -> effect(Replication.ACTIVE, bytes);
  }

  private static Golden.Reading<Effect> passive() {
    return bytes -> effect(Replication.PASSIVE, bytes);
  }

  private record Unordered(int kind, Object what) {}

  private static Golden.Reading<Unordered> unordered() {
    return bytes -> {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      int kind = in.get();
      return new Unordered(
          kind, kind == OrderedMessage.ASK ? OrderedMessage.asked(in) : OrderedMessage.replied(in).reply().status());
    };
  }

  @Test
  void orderedMessages() {
    var limits = new SessionTable.Limits(60_000, 2, 3, 1000);
    Golden golden =
        new Golden("replica", "ordered-message", "what replicas multicast, and what comes of it: `OrderedMessage`");
    ByteBuffer collected = OrderedMessage.collected(OrderedMessage.call(300, 3, 2, 2, false, bytes("withdraw")));
    for (Replication replication : Replication.values()) {
      golden.written("configure " + replication, taken(OrderedMessage.configure(limits, replication)), active());
    }
    golden
        .written("announce", taken(OrderedMessage.announce("\u00fc:2")), active())
        .written("open", taken(OrderedMessage.open(300, -5, SECRET)), active())
        .written("call", taken(OrderedMessage.call(300, 3, 2, 2, false, bytes("withdraw"))), active())
        .written("call given up", taken(OrderedMessage.call(300, 3, 2, 1, true, bytes(""))), active())
        .written("collect", taken(collected), active())
        .written("touch", taken(OrderedMessage.touch(300, List.of(3L, 9L))), active())
        .written("tick", taken(OrderedMessage.tick(100_000)), active())
        .written("close", taken(OrderedMessage.close(3)), active())
        .written("check", taken(OrderedMessage.check()), active())
        .written("digest", taken(OrderedMessage.digest(4, -7)), active());
    for (CommandReply.Status status : CommandReply.Status.values()) {
      ByteBuffer change = OrderedMessage.change(3, 0, status, true, bytes("r"), bytes("c"));
      golden.written("change " + status, taken(change), passive());
    }
    var reply = new CommandReply(CommandReply.Status.FAILED, 9, bytes("no"));
    golden
        .written("reply", taken(OrderedMessage.reply(new Frame.Replied(17, 2, reply))), unordered())
        .written("ask", taken(OrderedMessage.ask(List.of(new OrderedMessage.Asked(17, 2)))), unordered());
    Object[] kinds = new Object[OrderedMessage.ASK];
    for (int kind = 1; kind <= kinds.length; kind++) {
      kinds[kind - 1] = "kind=" + kind;
    }
    golden.covers(kinds).check();
  }

  private static byte[] written(SessionTable table) throws IOException {
    var out = new ByteArrayOutputStream();
    table.snapshot().writeTo(out);
    return out.toByteArray();
  }

  private record Restored(
      String limits, Replication replication, long time, long position, int sessions, boolean again) {}

  private static Restored restored(byte[] bytes) throws IOException {
    var table = new SessionTable();
    table.restore(new DataInputStream(new ByteArrayInputStream(bytes)));
    boolean again = Arrays.equals(written(table), bytes);
    String limits = String.valueOf(table.limits());
    return new Restored(limits, table.replication(), table.time(), table.positionNext(), table.sessions(), again);
  }

  @Test
  void sessions() throws IOException {
    new Golden("replica", "session-table", "the sessions in a snapshot: `SessionTable`")
        .written("nothing yet", written(new SessionTable()), ReplicaGoldenTest::restored)
        .written("a reply", written(table(Replication.ACTIVE, new Listing())), ReplicaGoldenTest::restored)
        .written("a pending command", written(table(Replication.PASSIVE, new Listing())), ReplicaGoldenTest::restored)
        .check();
  }

  private record Snapshot(String name, long position, byte[] content) {}

  private static byte[] file(String content) throws IOException {
    var disk = new MemoryDisk();
    new SnapshotStore(disk, "bank").write(4711, out -> out.write(content.getBytes(US_ASCII)));
    return disk.files.get("0000000000000004711.snapshot");
  }

  private static Snapshot snapshot(byte[] bytes) throws IOException {
    var disk = new MemoryDisk();
    disk.files.put("0000000000000004711.snapshot", bytes);
    var store = new SnapshotStore(disk, "bank");
    SnapshotStore.Intact intact = store.newest().orElseThrow();
    return new Snapshot(disk.names().getFirst(), intact.position(), store.open(intact).readAllBytes());
  }

  @Test
  void snapshots() throws IOException {
    new Golden("replica", "snapshot-file", "a file of a durable service: `SnapshotStore`")
        .written("empty", file(""), ReplicaGoldenTest::snapshot)
        .written("with content", file("all accounts"), ReplicaGoldenTest::snapshot)
        .check();
  }

  @Test
  void snapshotsOfAnotherVersionAreRefusedAndNoOlderOneIsTaken() throws IOException {
    var disk = new MemoryDisk();
    var store = new SnapshotStore(disk, "bank");
    store.write(1, out -> out.write('a'));
    store.write(2, out -> out.write('b'));
    byte[] newest = disk.files.get("0000000000000000002.snapshot");
    newest[7] = '2';
    newest[newest.length - 1]++; // another version has another checksum
    assertThatThrownBy(store::newest).hasMessage("a snapshot is of version 2, this replica reads version 1");
    assertThat(disk.names()).hasSize(2);
    newest[newest.length - 1]--;
    assertThat(store.newest().orElseThrow().damaged().getFirst()).contains("its version is not what was written");
  }

  @Test
  void otherVersionsOfWhatReplicasSayAndKeepAreRefusedWithBothVersions() throws IOException {
    byte[] sessions = written(table(Replication.ACTIVE, new Listing()));
    sessions[1] = 3;
    assertThatThrownBy(() -> restored(sessions))
        .hasMessage("the sessions are of version 3, this replica reads version 2");
    var limits = new SessionTable.Limits(60_000, 2, 3, 1000);
    byte[] configure = taken(OrderedMessage.configure(limits, Replication.ACTIVE));
    configure[configure.length - 1] = 3;
    var table = new SessionTable();
    var nobody = new Telling(new ArrayList<>());
    assertThatThrownBy(() -> table.apply("a", 0, ByteBuffer.wrap(configure), new Listing(), nobody))
        .hasMessage("the replicas speak version 3 with each other, this one 2");
  }
}
