package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.replica.Command;
import org.tutti.replica.PassiveStateMachine;
import org.tutti.replica.Policy;
import org.tutti.replica.Replication;
import org.tutti.transport.Address;

/// Replicas of a service that is replicated passively, and that draws: two executions of one command differ. The test
/// decides in which order what they multicast is delivered.
class PassiveReplicationTest {
  private static final SessionTable.Limits LIMITS = new SessionTable.Limits(1000, 100, 100, 1 << 20);
  private static final SessionTable.Secret SECRET = new SessionTable.Secret(3, 4);
  private static final long CLIENT = 1;

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  /// Appends what it is told, and a number that only the primary knows.
  private final class Diary implements PassiveStateMachine {
    String state = "";
    int executed;

    @Override
    public Outcome execute(Command command) {
      executed++;
      String what = text(command.payload());
      if (what.equals("throw")) {
        throw new IllegalArgumentException("no");
      }
      String drawn = what + ++draws;
      return what.equals("refuse")
          ? Outcome.refused("refused " + drawn, bytes(drawn))
          : Outcome.done(bytes(drawn), bytes(drawn));
    }

    @Override
    public void change(long at, ByteBuffer change) {
      state += text(change) + ";";
    }

    @Override
    public void sessionEnded(long session, long at, Instant time) {
      state += "end;";
    }

    @Override
    public ByteBuffer query(ByteBuffer request) {
      return bytes(state);
    }

    @Override
    public Snapshot snapshot() {
      byte[] copy = state.getBytes(StandardCharsets.UTF_8);
      return out -> out.write(copy);
    }

    @Override
    public void restore(InputStream in) throws IOException {
      state = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private record Posted(Server by, ByteBuffer message) {}

  private final class Server implements ReplicaProtocol.Group, ReplicaProtocol.Clients, ReplicaProtocol.Clock {
    final MemberId self;
    final Diary diary = new Diary();
    final ReplicaProtocol protocol;
    final List<String> told = new ArrayList<>(); // the client, if it is connected here
    final List<Frame> said = new ArrayList<>();
    final List<ReplicaProtocol.Fault> faults = new ArrayList<>();

    Ordering ordering = Ordering.SEQUENCER;

    Server(String name) {
      self = new MemberId(name, new Address(name + ":1"), 1);
      protocol = new ReplicaProtocol("diary", name, name + ":2", LIMITS, Replication.PASSIVE, diary, this, this, this);
    }

    @Override
    public boolean post(ByteBuffer message) {
      posted.add(new Posted(this, message));
      return true;
    }

    @Override
    public void confirm() {}

    @Override
    public long clients(MemberId member) {
      return serves.getOrDefault(member.name(), -1L);
    }

    @Override
    public Ordering ordering() {
      return ordering;
    }

    @Override
    public void show(long clients, long commands) {
      serves.put(self.name(), clients);
    }

    @Override
    public void send(long connection, ByteBuffer frame) {
      try {
        Frame decoded = Frame.decode(frame.position(Integer.BYTES).slice());
        said.add(decoded);
        if (decoded instanceof Frame.Replied replied) {
          told.add(replied.reply().status() + " " + text(replied.reply().payload()));
        }
      } catch (Frame.MalformedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void read(long connection, boolean on) {}

    @Override
    public void close(long connection, ReplicaProtocol.Fault fault) {
      faults.add(fault);
    }

    @Override
    public long nanos() {
      return 0;
    }

    @Override
    public long wallMillis() {
      return 1000;
    }

    void say(Frame frame) {
      protocol.said(CLIENT, frame.encode().position(Integer.BYTES).slice());
    }

    void greet() {
      greet(Frame.NO_POLICY);
    }

    void greet(int policy) {
      protocol.connected(CLIENT);
      say(new Frame.Hello("diary", policy));
    }

    void call(long number, String what) {
      say(new Frame.Call(session, number, 1, false, bytes(what)));
    }
  }

  private final ArrayDeque<Posted> posted = new ArrayDeque<>();
  private final TreeMap<String, Long> serves = new TreeMap<>();
  private int draws;
  private long position;
  private long session;
  private long viewNext = 1;
  private List<Server> here = List.of();
  private final Server a = new Server("a");
  private final Server b = new Server("b");
  private final Server c = new Server("c");

  private void view(Server... members) {
    here = List.of(members);
    List<MemberId> ids = Stream.of(members).map(one -> one.self).toList();
    for (Server one : here) {
      one.protocol.viewed(new View(new ViewId(viewNext, 1), ids, true, List.of()));
    }
    viewNext++;
  }

  /// Delivers the message that was multicast first.
  private void deliver() {
    deliver(posted.remove());
  }

  private void deliver(Posted next) {
    here.forEach(one -> one.protocol.delivered(next.by.self.name(), position, next.message.duplicate()));
    position++;
  }

  private void settle() {
    do {
      while (!posted.isEmpty()) {
        deliver();
      }
      here.forEach(one -> one.protocol.work());
    } while (!posted.isEmpty());
  }

  /// All serve, and the client has its session at b.
  private void begin() {
    view(a, b, c);
    here.forEach(one -> one.protocol.caughtUp(0));
    settle();
    b.greet();
    b.say(new Frame.Open(9, SECRET));
    session = position + 1;
    settle();
  }

  @Test
  void thePrimaryExecutesAndAllChange() {
    begin();
    b.call(1, "x");
    b.call(2, "y");
    settle();
    assertThat(a.diary.state).isEqualTo("x1;y2;").isEqualTo(b.diary.state).isEqualTo(c.diary.state);
    assertThat(List.of(a.diary.executed, b.diary.executed, c.diary.executed)).containsExactly(2, 0, 0);
    assertThat(b.told).containsExactly("DONE x1", "DONE y2");
  }

  @Test
  void thereIsNoReplyBeforeTheChangeIsDelivered() {
    begin();
    a.greet();
    a.say(new Frame.Resume(session, SECRET, false));
    a.call(1, "x");
    deliver();
    a.protocol.work();
    assertThat(a.diary.executed).isEqualTo(1);
    assertThat(a.told).isEmpty();
    assertThat(a.diary.state).isEmpty();
    settle();
    assertThat(a.told).containsExactly("DONE x1");
  }

  @Test
  void theNextPrimaryExecutesWhatTheOneBeforeHasLeft() {
    begin();
    b.call(1, "x");
    b.call(2, "y");
    deliver();
    deliver();
    a.protocol.work();
    posted.clear(); // a crashes with its outcome
    view(b, c);
    settle();
    assertThat(b.diary.state).isEqualTo("x2;y3;").isEqualTo(c.diary.state);
    assertThat(b.told).containsExactly("DONE x2", "DONE y3");
  }

  @Test
  void whatAPrimaryOfBeforeSaysAfterItsSuccessorChangesNothing() {
    begin();
    b.call(1, "x");
    deliver();
    a.protocol.work();
    Posted late = posted.remove();
    view(b, c);
    settle();
    b.call(2, "y");
    settle();
    deliver(late);
    settle();
    assertThat(b.diary.state).isEqualTo("x2;y3;").isEqualTo(c.diary.state);
    assertThat(b.told).containsExactly("DONE x2", "DONE y3");
    assertThat(b.protocol.outdated()).isEqualTo(1);
  }

  @Test
  void whatAPrimaryOfBeforeSaysBeforeItsSuccessorCountsAndTheOthersOutcomeDoesNot() {
    begin();
    b.call(1, "x");
    deliver();
    a.protocol.work();
    Posted late = posted.remove();
    view(b, c);
    b.protocol.work();
    Posted second = posted.remove();
    deliver(late);
    deliver(second);
    settle();
    assertThat(b.diary.state).isEqualTo("x1;").isEqualTo(c.diary.state);
    assertThat(b.told).containsExactly("DONE x1");
  }

  @Test
  void aCommandIsExecutedAgainWhenASessionHasEndedMeanwhile() {
    begin();
    c.greet();
    c.say(new Frame.Open(8, SECRET));
    long other = position + 1;
    settle();
    b.call(1, "x");
    deliver();
    a.protocol.work();
    Posted outcome = posted.remove();
    c.say(new Frame.Close(other));
    deliver();
    deliver(outcome);
    assertThat(b.diary.state).isEqualTo("end;");
    settle();
    assertThat(b.diary.state).isEqualTo("end;x2;");
    assertThat(b.told).containsExactly("DONE x2");
  }

  @Test
  void nothingOfASessionThatHasEndedIsExecuted() {
    begin();
    b.call(1, "x");
    deliver();
    b.say(new Frame.Close(session));
    deliver();
    settle();
    assertThat(a.diary.state).isEqualTo("end;");
    assertThat(a.diary.executed).isZero();
  }

  @Test
  void whoWaitsForAnOutcomeIsToldThatItsSessionHasExpired() {
    begin();
    b.call(1, "x");
    deliver();
    assertThat(b.said).noneMatch(frame -> frame instanceof Frame.Refused);
    for (long time = 0; time < 10_000; time += 50) {
      deliver(new Posted(a, OrderedMessage.touch(time, List.of())));
    }
    deliver(new Posted(a, OrderedMessage.tick(10_000)));
    assertThat(b.said).contains(new Frame.Refused(session, 0, SessionTable.Refusal.EXPIRED));
    settle();
    assertThat(a.diary.executed).isZero();
    assertThat(b.diary.state).isEqualTo("end;");
  }

  @Test
  void aNewcomerThatBecomesPrimaryExecutesWhatItHasGot() throws IOException {
    begin();
    b.call(1, "x");
    deliver();
    var out = new ByteArrayOutputStream();
    b.protocol.snapshot().writeTo(out);
    var d = new Server("d");
    d.protocol.restore(new ByteArrayInputStream(out.toByteArray()), true);
    view(d, b);
    d.protocol.caughtUp(position);
    settle();
    assertThat(d.diary.executed).isEqualTo(1);
    assertThat(d.diary.state).isEqualTo("x1;").isEqualTo(b.diary.state);
    assertThat(b.told).containsExactly("DONE x1");
  }

  @Test
  void aReplicaWhoseStateComesBehindItsViewTellsWhoIsThere() throws IOException {
    begin();
    var out = new ByteArrayOutputStream();
    b.protocol.snapshot().writeTo(out);
    var d = new Server("d");
    view(d, b);
    d.protocol.restore(new ByteArrayInputStream(out.toByteArray()), true);
    d.protocol.caughtUp(position);
    d.greet();
    assertThat(d.said)
        .last()
        .isInstanceOfSatisfying(Frame.Welcome.class, welcome -> assertThat(welcome.replicas()).containsExactly("b:2"));
  }

  @Test
  void aCommandThatComesAgainBeforeItsOutcomeHasOnePlace() {
    begin();
    b.call(1, "x");
    b.call(1, "x");
    deliver();
    deliver();
    settle();
    assertThat(a.diary.state).isEqualTo("x1;");
    assertThat(b.told).containsExactly("DONE x1");
    b.call(1, "x");
    settle();
    assertThat(b.told).containsExactly("DONE x1", "DONE x1");
  }

  @Test
  void anExceptionChangesNothingAndARefusalMay() {
    begin();
    b.call(1, "throw");
    b.call(2, "refuse");
    settle();
    assertThat(b.diary.state).isEqualTo("refuse1;").isEqualTo(c.diary.state);
    assertThat(b.told).containsExactly("FAILED no", "FAILED refused refuse1");
  }

  @Test
  void aCommandThatWasGivenUpTakesItsPlaceWithoutBeingExecuted() {
    begin();
    b.call(1, "x");
    b.say(new Frame.Call(session, 2, 1, true, bytes("")));
    b.call(3, "z");
    settle();
    assertThat(a.diary.state).isEqualTo("x1;z2;");
    assertThat(b.told).containsExactly("DONE x1", "SKIPPED ", "DONE z2");
  }

  @Test
  void aReplicaWithAnotherReplicationEndsWithTheReason() {
    begin();
    var active = new ReplicaProtocol("diary", "e", "e:2", LIMITS, Replication.ACTIVE, new Diary(), a, a, a);
    assertThatThrownBy(() -> active.delivered("a", 0, OrderedMessage.configure(LIMITS, Replication.PASSIVE)))
        .hasMessage("service \"diary\" is replicated PASSIVE, and this replica ACTIVE");
    var out = new ByteArrayOutputStream();
    assertThatThrownBy(
            () -> {
              a.protocol.snapshot().writeTo(out);
              active.restore(new ByteArrayInputStream(out.toByteArray()), true);
            })
        .hasMessageContaining("is replicated PASSIVE");
  }

  private static int policy(Policy.Collection collection, Replication replication) {
    return new Policy(Policy.Dissemination.MANAGER, collection, replication, Ordering.SYMMETRIC).code();
  }

  @Test
  void aClientThatSuspectsTheManagerIsSentBackAsLongAsTheManagerIsThere() {
    begin();
    c.greet(policy(Policy.Collection.FIRST, Replication.PASSIVE));
    assertThat(c.said).last().isEqualTo(new Frame.Redirected("a:2"));
    assertThat(c.protocol.misdirected()).isEqualTo(1);
    view(b, c);
    settle();
    c.protocol.disconnected(CLIENT);
    c.greet(policy(Policy.Collection.FIRST, Replication.PASSIVE));
    assertThat(c.said).last().isEqualTo(new Frame.Redirected("b:2"));
    b.protocol.disconnected(CLIENT);
    b.greet(policy(Policy.Collection.FIRST, Replication.PASSIVE));
    assertThat(b.said).last().isInstanceOf(Frame.Welcome.class);
  }

  @Test
  void aManagerThatLosesItsRoleSendsItsClientsToTheNewOne() {
    begin();
    a.greet(policy(Policy.Collection.FIRST, Replication.PASSIVE));
    assertThat(a.said).last().isInstanceOf(Frame.Welcome.class);
    view(b, a, c);
    settle();
    assertThat(a.said).last().isEqualTo(new Frame.Redirected("b:2"));
  }

  @Test
  void theReplicasDecideTheOrderingAndTheReplicationWhereOneReplyIsWanted() {
    begin();
    a.greet(policy(Policy.Collection.FIRST, Replication.ACTIVE));
    assertThat(a.said)
        .last()
        .isInstanceOfSatisfying(
            Frame.Welcome.class, welcome -> assertThat(Policy.of(welcome.policy())).hasToString("D1 C1 R1 O1"));
  }

  @Test
  void whoHasAPolicyIsToldWhenTheOrderingIsSwitched() {
    begin();
    a.greet(policy(Policy.Collection.FIRST, Replication.PASSIVE));
    b.greet();
    settle();
    a.ordering = Ordering.SYMMETRIC;
    b.ordering = Ordering.SYMMETRIC;
    settle();
    settle();
    var now =
        new Policy(Policy.Dissemination.MANAGER, Policy.Collection.FIRST, Replication.PASSIVE, Ordering.SYMMETRIC);
    assertThat(a.said).filteredOn(Frame.Agreed.class::isInstance).containsExactly(new Frame.Agreed(now.code()));
    assertThat(b.said).noneMatch(Frame.Agreed.class::isInstance);
  }

  @Test
  void severalRepliesAreRefusedAndCounted() {
    begin();
    a.greet(policy(Policy.Collection.ALL, Replication.ACTIVE));
    assertThat(a.faults).containsExactly(ReplicaProtocol.Fault.POLICY);
    b.protocol.disconnected(CLIENT);
    b.greet(0x00020000); // D1 C2 R1 O1, which no client of ours can make
    assertThat(b.faults).containsExactly(ReplicaProtocol.Fault.POLICY);
    assertThat(b.said)
        .last()
        .isEqualTo(new Frame.Wrong("passive replication gives one reply, of the primary: a client cannot collect ALL"));
  }
}
