package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.replica.Command;
import org.tutti.replica.Read;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;

/// One replica, alone in its group: what it posts is delivered when the test says so.
class ReplicaProtocolTest {
  private static final SessionTable.Secret SECRET = new SessionTable.Secret(3, 4);
  private static final long LIFE_MILLIS = 1000;

  private final ArrayDeque<ByteBuffer> posted = new ArrayDeque<>();
  private final TreeMap<Long, List<Frame>> said = new TreeMap<>(); // by connection
  private final List<String> ended = new ArrayList<>();
  private final TreeMap<Long, Boolean> reading = new TreeMap<>();
  private int room = Integer.MAX_VALUE; // for messages in the group's window
  private int confirms;
  private long nanos;
  private long position;

  private final StateMachine echo =
      new StateMachine() {
        @Override
        public ByteBuffer apply(Command command) {
          return command.payload();
        }

        @Override
        public ByteBuffer query(ByteBuffer request) {
          return request;
        }

        @Override
        public Snapshot snapshot() {
          return out -> {};
        }

        @Override
        public void restore(InputStream in) {}
      };

  private final ReplicaProtocol.Group group =
      new ReplicaProtocol.Group() {
        @Override
        public boolean post(ByteBuffer message) {
          if (room == 0) {
            return false;
          }
          room--;
          posted.add(message);
          return true;
        }

        @Override
        public void confirm() {
          confirms++;
        }
      };

  private final ReplicaProtocol.Clients clients =
      new ReplicaProtocol.Clients() {
        @Override
        public void send(long connection, ByteBuffer frame) {
          try {
            said.computeIfAbsent(connection, _ -> new ArrayList<>())
                .add(Frame.decode(frame.position(Integer.BYTES).slice()));
          } catch (Frame.MalformedException e) {
            throw new IllegalStateException(e);
          }
        }

        @Override
        public void read(long connection, boolean on) {
          reading.put(connection, on);
        }

        @Override
        public void close(long connection, ReplicaProtocol.Fault fault) {
          ended.add(connection + " " + fault);
        }
      };

  private final ReplicaProtocol.Clock clock =
      new ReplicaProtocol.Clock() {
        @Override
        public long nanos() {
          return nanos;
        }

        @Override
        public long wallMillis() {
          return 1_000_000;
        }
      };

  private ReplicaProtocol replica = start();

  private ReplicaProtocol start() {
    return new ReplicaProtocol(
        "echo",
        "n1",
        "",
        new SessionTable.Limits(LIFE_MILLIS, 100_000, 100, 1 << 20),
        Replication.ACTIVE,
        echo,
        group,
        clients,
        clock);
  }

  @BeforeEach
  void serve() {
    begin();
    deliver();
  }

  private void begin() {
    view(1, true);
    replica.caughtUp(0);
    replica.work();
  }

  private void view(long epoch, boolean primary) {
    var self = new MemberId("n1", new Address("n1:1"), 1);
    replica.viewed(new View(new ViewId(epoch, 1), List.of(self), primary, List.of()));
  }

  private void deliver() {
    for (ByteBuffer message = posted.poll(); message != null; message = posted.poll()) {
      replica.delivered("n1", position++, message);
    }
  }

  private void say(long connection, Frame frame) {
    replica.said(connection, frame.encode().position(Integer.BYTES).slice());
  }

  private void greet(long connection) {
    replica.connected(connection);
    say(connection, new Frame.Hello("echo", Frame.NO_POLICY));
  }

  private long open(long connection) {
    say(connection, new Frame.Open(connection, SECRET));
    deliver();
    return last(connection) instanceof Frame.Opened(long _, long session) ? session : 0;
  }

  private Frame last(long connection) {
    return said.get(connection).getLast();
  }

  private static Frame.Call call(long session, long number) {
    return new Frame.Call(session, number, 1, false, ByteBuffer.wrap(new byte[] {7}));
  }

  @Test
  void clientsAreSentAwayUntilTheReplicasHaveAgreedOnTheirLimits() {
    replica = start();
    position = 0;
    begin();
    assertThat(replica.isServing()).isTrue();
    assertThat(replica.isOpen()).isFalse();
    greet(1);
    assertThat(last(1)).isInstanceOf(Frame.Away.class);
    deliver();
    assertThat(replica.isOpen()).isTrue();
    greet(2);
    assertThat(last(2)).isInstanceOf(Frame.Welcome.class);
  }

  /// Nobody can be heard while no view is primary. The group serves again after ten lives, and the client is back a
  /// little later; one that does not come back is forgotten after one life.
  @Test
  void sessionsDoNotExpireForTheTimeInWhichNobodyServed() {
    greet(1);
    long session = open(1);
    view(2, false);
    replica.disconnected(1);
    nanos += 10 * LIFE_MILLIS * 1_000_000;
    view(3, true);
    replica.caughtUp(position);
    workForALife(0.8);
    greet(2);
    say(2, new Frame.Resume(session, SECRET, false));
    workForALife(0.8);
    say(2, call(session, 1));
    deliver();
    assertThat(last(2)).isInstanceOf(Frame.Replied.class);
    replica.disconnected(2);
    workForALife(2.5);
    greet(3);
    say(3, new Frame.Resume(session, SECRET, false));
    assertThat(last(3)).isEqualTo(new Frame.Refused(session, 0, SessionTable.Refusal.EXPIRED));
  }

  /// The processes of all replicas are suspended, as with their machine, and go on in their view.
  @Test
  void sessionsDoNotExpireForTheTimeInWhichAllReplicasStoodStill() {
    greet(1);
    long session = open(1);
    replica.disconnected(1);
    nanos += 10 * LIFE_MILLIS * 1_000_000;
    workForALife(0.8);
    greet(2);
    say(2, new Frame.Resume(session, SECRET, false));
    workForALife(0.8);
    say(2, call(session, 1));
    deliver();
    assertThat(last(2)).isInstanceOf(Frame.Replied.class);
  }

  /// It joins when the group has just come back from an outage, and is the most senior one soon.
  @Test
  void aNewcomerLetsSessionsOutliveAnOutageToo() throws IOException {
    greet(1);
    long session = open(1);
    view(2, false);
    nanos += 10 * LIFE_MILLIS * 1_000_000;
    view(3, true);
    replica.caughtUp(position);
    greet(2);
    open(2); // says the time
    var state = new ByteArrayOutputStream();
    replica.snapshot().writeTo(state);
    replica = start();
    replica.restore(new ByteArrayInputStream(state.toByteArray()), true);
    view(4, true);
    replica.caughtUp(position);
    workForALife(0.8);
    greet(3);
    say(3, new Frame.Resume(session, SECRET, false));
    say(3, call(session, 1));
    deliver();
    assertThat(last(3)).isInstanceOf(Frame.Replied.class);
  }

  private void workForALife(double times) {
    for (int i = 0; i < times * 10; i++) {
      replica.work();
      deliver();
      nanos += LIFE_MILLIS * 1_000_000 / 10;
    }
  }

  @Test
  void aSessionIsResumedByItsSecret() {
    greet(1);
    long session = open(1);
    greet(2);
    say(2, new Frame.Resume(session, SECRET, false));
    say(2, call(session, 1));
    deliver();
    assertThat(last(2)).isInstanceOf(Frame.Replied.class);
    assertThat(replica.foreignSessions()).isZero();
  }

  @Test
  void whoDoesNotKnowTheSecretGetsNeitherTheSessionNorItsReplies() {
    greet(1);
    long session = open(1);
    say(1, call(session, 1));
    deliver();
    int before = said.get(1L).size();
    greet(2);
    say(2, new Frame.Resume(session, new SessionTable.Secret(3, 5), false));
    assertThat(last(2)).isEqualTo(new Frame.Refused(session, 0, SessionTable.Refusal.EXPIRED));
    say(2, call(session, 1));
    say(2, call(session, 2));
    assertThat(posted).isEmpty();
    assertThat(replica.foreignSessions()).isEqualTo(1);
    say(1, call(session, 2));
    deliver();
    assertThat(said.get(1L)).hasSize(before + 1);
    assertThat(said.get(2L)).noneMatch(Frame.Replied.class::isInstance);
  }

  /// Who joins an idle service would else take the time of the last message for the present one.
  @Test
  void theSeniorSaysInEachViewWhatTimeItIs() {
    replica.work();
    deliver();
    nanos += 3_600_000_000_000L; // nobody has a session
    view(2, true);
    replica.work();
    assertThat(posted).containsExactly(OrderedMessage.touch(1_000_000 + 3_600_000, List.of()));
    deliver();
    replica.work(); // it has stood still for an hour, as it seems, and says it once more
    deliver();
    replica.work();
    assertThat(posted).isEmpty();
  }

  @Test
  void whoGuessesAgainLosesItsConnection() {
    greet(1);
    long session = open(1);
    greet(2);
    say(2, new Frame.Resume(session, new SessionTable.Secret(0, 1), false));
    say(2, new Frame.Resume(session, SECRET, false));
    assertThat(ended).containsExactly("2 MALFORMED");
  }

  @Test
  void whoUsesASessionWithoutAWordAboutItLosesItsConnectionAndIsTold() {
    greet(1);
    long session = open(1);
    greet(2);
    say(2, call(session, 1));
    greet(3);
    say(3, new Frame.Close(session));
    assertThat(posted).isEmpty();
    assertThat(ended).containsExactly("2 FOREIGN_SESSION", "3 FOREIGN_SESSION");
    assertThat(((Frame.Wrong) last(2)).words()).contains("neither opened nor resumed");
    assertThat(replica.foreignSessions()).isEqualTo(2);
  }

  @Test
  void aNumberThatWasNeverGivenOutIsFoundOutByAQuorumAndCounted() {
    greet(1);
    say(1, new Frame.Resume(position + 100, SECRET, false));
    assertThat(reading).containsEntry(1L, false);
    assertThat(confirms).isEqualTo(1);
    replica.confirmed(position);
    assertThat(last(1)).isEqualTo(new Frame.Refused(position + 100, 0, SessionTable.Refusal.EXPIRED));
    assertThat(reading).containsEntry(1L, true);
    assertThat(replica.foreignSessions()).isEqualTo(1);
    assertThat(open(1)).as("it may open one").isPositive();
  }

  @Test
  void aReplicaThatIsBehindDecidesWhenItHasCaughtUp() {
    greet(1);
    say(1, new Frame.Open(1, SECRET));
    long session = position + 1; // is ordered, but not delivered here
    greet(2);
    say(2, new Frame.Resume(session, SECRET, false));
    replica.confirmed(session);
    assertThat(said.get(2L)).as("no answer yet").hasSize(1);
    deliver();
    assertThat(reading).containsEntry(2L, true);
    say(2, call(session, 1));
    deliver();
    assertThat(last(2)).isInstanceOf(Frame.Replied.class);
  }

  @Test
  void aResumptionThatIsDecidedLateDoesNotTakeTheRepliesFromTheConnectionAfterIt() {
    greet(1);
    say(1, new Frame.Open(1, SECRET));
    long session = position + 1; // is ordered, but not delivered here
    greet(2);
    say(2, new Frame.Resume(session, SECRET, false)); // waits for a quorum; nobody reads that its client goes
    deliver();
    greet(3); // comes again
    say(3, new Frame.Resume(session, SECRET, false));
    say(3, call(session, 1));
    replica.confirmed(session);
    assertThat(reading).as("decided").containsEntry(2L, true);
    say(2, call(session, 1)); // what it had said before it went
    deliver();
    assertThat(said.get(2L)).noneMatch(Frame.Replied.class::isInstance);
    assertThat(said.get(3L)).filteredOn(Frame.Replied.class::isInstance).hasSize(2);
    replica.disconnected(2);
    say(3, call(session, 2));
    deliver();
    assertThat(((Frame.Replied) last(3)).number()).isEqualTo(2);
    assertThat(ended).isEmpty();
    assertThat(replica.foreignSessions()).isZero();
  }

  @Test
  void aClientOfAnotherVersionIsToldSoAndCountedForThat() {
    replica.connected(1);
    ByteBuffer hello = new Frame.Hello("echo", Frame.NO_POLICY).encode().position(Integer.BYTES).slice();
    replica.said(1, hello.putShort(5, (short) 9));
    assertThat(ended).containsExactly("1 OTHER_VERSION");
    assertThat(((Frame.Wrong) last(1)).words())
        .isEqualTo("the client speaks version 9 of the clients' protocol, this replica version 2");
  }

  @Test
  void oneConnectionHasOneSession() {
    greet(1);
    say(1, new Frame.Open(1, SECRET));
    say(1, new Frame.Open(2, SECRET));
    assertThat(ended).containsExactly("1 MALFORMED");
    greet(2);
    open(2);
    say(2, new Frame.Open(3, SECRET));
    assertThat(ended).last().isEqualTo("2 MALFORMED");
  }

  @Test
  void whoWasHeardIsTouchedLaterWhenTheWindowWasFull() {
    greet(1);
    open(1);
    replica.work();
    deliver();
    say(1, new Frame.Ping());
    room = 0;
    nanos += LIFE_MILLIS * 1_000_000 / 2;
    replica.work();
    room = Integer.MAX_VALUE;
    nanos += 2_000_000;
    replica.work();
    deliver();
    nanos += LIFE_MILLIS * 1_000_000 * 9 / 10;
    replica.work(); // tells the time
    deliver();
    assertThat(replica.sessions()).isEqualTo(1);
  }

  @Test
  void theSilentAreNotTouched() {
    greet(1);
    open(1);
    for (int part = 0; part < 30; part++) {
      nanos += LIFE_MILLIS * 1_000_000 / 10;
      replica.work();
      deliver();
    }
    assertThat(replica.sessions()).isZero();
  }

  @Test
  void whoFloodsWithQuestionsLosesItsConnectionAndNobodyElse() {
    greet(1);
    greet(2);
    say(2, new Frame.Query(1, Read.LINEARIZABLE, 0, ByteBuffer.allocate(10)));
    for (int id = 0; ended.isEmpty(); id++) {
      say(1, new Frame.Query(id, Read.LINEARIZABLE, 0, ByteBuffer.allocate(0))); // a quorum does not answer
      assertThat(id).isLessThan(1_000_000);
    }
    assertThat(ended).containsExactly("1 GREEDY");
    replica.confirmed(position);
    replica.confirmed(position);
    assertThat(last(2)).isInstanceOf(Frame.Answer.class);
  }

  @Test
  void commandsForWhichThereIsNoRoomAreRefusedBeforeTheyFillTheMemory() {
    List<Long> sessions = new ArrayList<>();
    for (long connection = 1; connection <= 12; connection++) {
      greet(connection);
      sessions.add(open(connection));
    }
    room = 0;
    int refused = 0;
    for (int i = 0; i < sessions.size(); i++) {
      say(i + 1, new Frame.Call(sessions.get(i), 1, 1, false, ByteBuffer.allocate(Frame.PAYLOAD_BYTES_MAX)));
      refused += last(i + 1) instanceof Frame.Refused ? 1 : 0;
    }
    assertThat(refused).isEqualTo(12 - 7); // as 64 MiB are held at most
    room = Integer.MAX_VALUE;
    replica.work();
    deliver();
    assertThat(last(1)).isInstanceOf(Frame.Replied.class);
    assertThat(reading).containsEntry(1L, true);
  }
}
