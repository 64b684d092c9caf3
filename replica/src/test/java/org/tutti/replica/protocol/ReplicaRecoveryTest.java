package org.tutti.replica.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.replica.Command;
import org.tutti.replica.Replication;
import org.tutti.replica.StateMachine;
import org.tutti.transport.Address;

/// One replica that writes snapshots, ends, and goes on from them; its group is a list of messages.
class ReplicaRecoveryTest {
  private static final SessionTable.Limits LIMITS = new SessionTable.Limits(1000, 10, 10, 1000);
  private static final SessionTable.Secret SECRET = new SessionTable.Secret(1, 2);
  private static final MemberId SELF = new MemberId("a", new Address("a"), 1);

  /// Adds up, and remembers how often it was asked to.
  private static final class Sum implements StateMachine {
    long value;
    int applied;

    @Override
    public ByteBuffer apply(Command command) {
      applied++;
      value += command.payload().getLong();
      return ByteBuffer.allocate(Long.BYTES).putLong(0, value);
    }

    @Override
    public Snapshot snapshot() {
      long copy = value;
      return out -> out.write(ByteBuffer.allocate(Long.BYTES).putLong(0, copy).array());
    }

    @Override
    public void restore(InputStream in) throws IOException {
      value = new DataInputStream(in).readLong();
    }
  }

  private final MemoryDisk files = new MemoryDisk(); // outlive a replica
  private final List<ByteBuffer> log = new ArrayList<>();
  private long calls;
  private long nanos;

  private final class Life
      implements ReplicaProtocol.Group, ReplicaProtocol.Clients, SnapshotSchedule.Disk, ReplicaProtocol.Clock {
    final Sum service = new Sum();
    final ReplicaProtocol protocol =
        new ReplicaProtocol("sum", "a", "", LIMITS, Replication.ACTIVE, service, this, this, this);
    final SnapshotSchedule schedule;
    final List<Frame> told = new ArrayList<>();
    final ArrayDeque<StateMachine.Snapshot> pictures = new ArrayDeque<>();
    final ArrayDeque<Long> positions = new ArrayDeque<>();
    final List<Long> persisted = new ArrayList<>();
    final List<Integer> posted = new ArrayList<>(); // kinds

    Life(long every) throws IOException {
      schedule = new SnapshotSchedule(this, every);
      protocol.recover(new SnapshotStore(files, "sum"), schedule);
    }

    void deliver(ByteBuffer message) {
      log.add(message);
      replay(log.size() - 1);
    }

    void replay(int position) {
      protocol.delivered("a", position, log.get(position).duplicate());
      protocol.work();
    }

    /// Replays what follows on the snapshot, and serves.
    void start() {
      for (int position = (int) protocol.positionNext(); position < log.size(); position++) {
        replay(position);
      }
      protocol.viewed(new View(new ViewId(1, 1), List.of(SELF), true, List.of()));
      protocol.caughtUp(log.size());
      protocol.work();
    }

    void call(long session, long number, long amount) {
      ByteBuffer payload = ByteBuffer.allocate(Long.BYTES).putLong(0, amount);
      deliver(OrderedMessage.call(10, session, number, number, false, payload));
    }

    /// Has commands executed until a snapshot is due: how many.
    long callUntilOneIsDue() {
      long before = protocol.executed();
      while (positions.isEmpty()) {
        call(2, ++calls, 1);
      }
      return protocol.executed() - before;
    }

    /// Lets the thread that writes come to its end.
    void writeSnapshot() throws IOException {
      long position = positions.remove();
      schedule.kept(position, new SnapshotStore(files, "sum").write(position, pictures.remove()));
    }

    @Override
    public boolean post(ByteBuffer message) {
      posted.add((int) message.get(0));
      return true;
    }

    @Override
    public void confirm() {}

    @Override
    public void send(long connection, ByteBuffer frame) {
      try {
        told.add(Frame.decode(frame.slice(Integer.BYTES, frame.remaining() - Integer.BYTES)));
      } catch (Frame.MalformedException impossible) {
        throw new IllegalStateException(impossible);
      }
    }

    @Override
    public void read(long connection, boolean on) {}

    @Override
    public void close(long connection, ReplicaProtocol.Fault fault) {}

    @Override
    public void write(long position, StateMachine.Snapshot picture) {
      positions.add(position);
      pictures.add(picture);
    }

    @Override
    public void persisted(long position) {
      persisted.add(position);
    }

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long wallMillis() {
      return 1_000_000 + nanos / 1_000_000;
    }
  }

  private Life founded(long every) throws IOException {
    var life = new Life(every);
    life.deliver(OrderedMessage.configure(LIMITS, Replication.ACTIVE));
    life.deliver(OrderedMessage.open(10, 7, SECRET)); // session 2
    return life;
  }

  @Test
  void afterTheEndOfAllTheServiceAndItsSessionsAreWhatTheyWere() throws Exception {
    Life first = founded(200);
    for (int number = 1; number <= 5; number++) {
      first.call(2, number, number);
    }
    assertThat(first.positions).as("one is written at a time").hasSize(1);
    first.writeSnapshot();
    first.call(2, 6, 6);

    var second = new Life(200);
    assertThat(second.protocol.positionNext()).isBetween(2L, 7L);
    second.start();
    assertThat(second.service.value).isEqualTo(21);
    assertThat(second.service.applied).as("only what the snapshot does not have").isLessThan(6);
    second.protocol.connected(1);
    second.protocol.said(1, bare(new Frame.Hello("sum", Frame.NO_POLICY)));
    second.protocol.said(1, bare(new Frame.Resume(2, SECRET, false)));
    second.call(2, 6, 6); // a retry
    assertThat(second.service.value).isEqualTo(21);
    assertThat(second.told.getLast())
        .isInstanceOfSatisfying(Frame.Replied.class, reply -> assertThat(reply.number()).isEqualTo(6));
  }

  private static ByteBuffer bare(Frame frame) {
    ByteBuffer encoded = frame.encode();
    return encoded.slice(Integer.BYTES, encoded.remaining() - Integer.BYTES);
  }

  @Test
  void theLogIsCutOffAtTheSnapshotBeforeTheNewest() throws Exception {
    Life life = founded(1);
    life.writeSnapshot();
    assertThat(life.persisted).as("if that one is damaged, everything is needed").isEmpty();
    life.callUntilOneIsDue();
    long before = life.positions.getFirst();
    life.writeSnapshot();
    assertThat(life.persisted).hasSize(1).allMatch(position -> position < before);
    var next = new Life(1);
    next.start();
    next.callUntilOneIsDue();
    next.writeSnapshot();
    assertThat(next.persisted).containsExactly(before);
  }

  @Test
  void aSnapshotFollowsWhenTheLogIsAsLongAsTheLastOne() throws Exception {
    Life life = founded(1);
    life.writeSnapshot();
    long bytes = new SnapshotStore(files, "sum").newest().orElseThrow().bytes();
    assertThat(life.callUntilOneIsDue()).isBetween(bytes / 200, bytes / 50);
  }

  @Test
  void aStateFromAnotherReplicaIsWrittenAtOnce() throws Exception {
    Life donor = founded(1 << 20);
    donor.call(2, 1, 5);
    var state = new ByteArrayOutputStream();
    donor.protocol.snapshot().writeTo(state);
    var newcomer = new Life(1 << 20);
    newcomer.protocol.restore(new ByteArrayInputStream(state.toByteArray()), true);
    newcomer.protocol.work();
    assertThat(newcomer.positions).containsExactly(3L);
    newcomer.writeSnapshot();
    assertThat(new Life(1).service.value).isEqualTo(5);
  }

  @Test
  void halfAStateIsNotWritten() throws Exception {
    byte[] state = stateOfAnother();
    var newcomer = new Life(1);
    var half = new ByteArrayInputStream(state, 0, state.length - 1);
    assertThatThrownBy(() -> newcomer.protocol.restore(half, true)).isInstanceOf(IOException.class);
    newcomer.protocol.work();
    assertThat(newcomer.positions).isEmpty();
    newcomer.protocol.restore(new ByteArrayInputStream(state), true);
    newcomer.protocol.work();
    assertThat(newcomer.positions).containsExactly(3L);
  }

  /// What another replica gives, at position 3.
  private byte[] stateOfAnother() throws IOException {
    Life donor = founded(1 << 20);
    donor.call(2, 1, 5);
    var state = new ByteArrayOutputStream();
    donor.protocol.snapshot().writeTo(state);
    return state.toByteArray();
  }

  /// Others rely on a replica to have the state as soon as it says so: it must not lose it with its process.
  @Test
  void aGivenStateCountsWhenItIsOnTheDisk() throws Exception {
    byte[] state = stateOfAnother();
    var newcomer = new Life(1);
    newcomer.protocol.restore(new ByteArrayInputStream(state), true);
    CompletableFuture<Void> kept = newcomer.protocol.keepRestored();
    assertThat(newcomer.positions).containsExactly(3L);
    assertThat(kept).isNotDone();
    newcomer.schedule.kept(3, 10);
    assertThat(kept).isCompleted();
    newcomer.protocol.restore(new ByteArrayInputStream(state), true);
    CompletableFuture<Void> failed = newcomer.protocol.keepRestored();
    var full = new IOException("the disk is full");
    newcomer.schedule.notKept(full);
    assertThat(failed).isCompletedExceptionally();
    assertThat(failed.exceptionNow()).isEqualTo(full);
  }

  /// The one that is being written is of the state before.
  @Test
  void anEarlierSnapshotDoesNotKeepAGivenState() throws Exception {
    byte[] state = stateOfAnother();
    var newcomer = new Life(1);
    newcomer.protocol.restore(new ByteArrayInputStream(state), true);
    newcomer.protocol.keepRestored();
    newcomer.protocol.restore(new ByteArrayInputStream(state), true);
    CompletableFuture<Void> kept = newcomer.protocol.keepRestored();
    newcomer.schedule.kept(3, 10);
    assertThat(kept).isNotDone();
    newcomer.protocol.work();
    assertThat(newcomer.positions).containsExactly(3L, 3L);
    newcomer.schedule.kept(3, 10);
    assertThat(kept).isCompleted();
  }

  @Test
  void whatCouldNotBeWrittenIsTriedAgainWhenTheLogHasGrown() throws Exception {
    Life life = founded(500);
    life.callUntilOneIsDue();
    life.positions.clear();
    life.schedule.notKept(new IOException("the disk is full"));
    assertThat(life.callUntilOneIsDue()).isGreaterThan(1);
    assertThat(life.schedule.failed()).isEqualTo(1);
    assertThat(life.persisted).isEmpty();
  }

  @Test
  void clientsHaveTheLifeOfASessionToComeBack() throws Exception {
    Life first = founded(1);
    first.writeSnapshot();
    nanos += 3_600_000_000_000L; // nobody was there for an hour
    var second = new Life(1 << 20);
    second.start();
    nanos += 900_000_000;
    second.protocol.work();
    assertThat(second.posted).doesNotContain(OrderedMessage.TICK);
    nanos += 200_000_000;
    second.protocol.work();
    assertThat(second.posted).contains(OrderedMessage.TICK);
  }

  @Test
  void aDeliveryThatIsContainedAlreadyStopsTheReplica() throws Exception {
    Life first = founded(1);
    first.writeSnapshot();
    var second = new Life(1);
    assertThatThrownBy(() -> second.replay(0)).isInstanceOf(IllegalStateException.class);
  }
}
