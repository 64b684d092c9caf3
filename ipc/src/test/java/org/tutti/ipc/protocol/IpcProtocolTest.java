package org.tutti.ipc.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcMessage.Deliver;
import org.tutti.ipc.protocol.IpcMessage.Delivered;
import org.tutti.ipc.protocol.IpcMessage.Ended;
import org.tutti.ipc.protocol.IpcMessage.Key;
import org.tutti.ipc.protocol.IpcMessage.Probe;
import org.tutti.ipc.protocol.IpcMessage.Taken;
import org.tutti.ipc.protocol.IpcMessage.Wanted;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.RecordingPort.Posted;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireWriter;

/// Bounds, messages and times of one host, whose peers are the test.
class IpcProtocolTest {
  private static final GroupId GROUP = GroupId.wellKnown(3);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final MemberId self = new MemberId("self", new Address("self"), 1);
  private final MemberId peer = new MemberId("peer", new Address("peer"), 2);
  private final RecordingPort port = new RecordingPort(peer);
  private final List<Posted> posted = port.posted;
  private final IpcProtocol protocol =
      new IpcProtocol(self, new IpcProtocol.Times(100, 50), PairProtocol.Settings.DEFAULT, port);
  private @Nullable Result<?> result;

  @Test
  void oneMessageGoesToAHostAndReachesAllItsMembers() {
    int sender = protocol.open();
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(posted).hasSize(1);
    assertThat(posted.getFirst().message()).isInstanceOf(Deliver.class);

    int first = member();
    int second = member();
    protocol.arrived(peer, new Deliver(new Key(9, GROUP, 1), 0, NOTHING));
    assertThat(queued(first)).isEqualTo(1);
    assertThat(queued(second)).isEqualTo(1);
    assertThat(posted.getLast()).isEqualTo(new Posted(peer, new Delivered(new Key(9, GROUP, 1), 2, false)));
  }

  @Test
  void theCountIsWhatHostsSayInTime() {
    member();
    int sender = protocol.open();
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(result).isNull();
    port.now = protocol.deadline();
    while (result == null) {
      protocol.tick();
      port.now = protocol.deadline();
    }
    assertThat(result).isEqualTo(new Done<>(new Sent(1, 1)));
    protocol.arrived(peer, new Delivered(new Key(sender, GROUP, 1), 5, false));

    result = null;
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    protocol.arrived(peer, new Delivered(new Key(sender, GROUP, 1), 5, false));
    assertThat(result).isNull();
    protocol.arrived(peer, new Delivered(new Key(sender, GROUP, 2), 5, false));
    assertThat(result).isEqualTo(new Done<>(new Sent(6, 2)));
  }

  @Test
  void onlyHostsThatDoNotGetTheNextMessageAreToldThatTheOneBeforeIsOver() {
    var other = new MemberId("quiet", new Address("quiet"), 3);
    port.hosts.add(other);
    int sender = protocol.open();
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    protocol.memberships().arrived(other, new MembershipMessage.Whole(1, false, true, List.of()));
    posted.clear();
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(posted)
        .containsExactly(
            new Posted(other, new Ended(new Key(sender, GROUP, 1))),
            new Posted(peer, new Deliver(new Key(sender, GROUP, 2), 0, NOTHING)));
    assertThat(result).isEqualTo(new Aborted<>(Status.NO_COMM));
  }

  @Test
  void hostsThatMayRefuseTheNextMessageAreToldThatTheOneBeforeIsOver() {
    GroupId issued = GroupId.issued(3);
    int sender = protocol.open();
    protocol.send(sender, issued, 0, NOTHING, 0, this::told);
    posted.clear();
    protocol.send(sender, issued, 0, NOTHING, 0, this::told);
    assertThat(posted)
        .containsExactly(
            new Posted(peer, new Ended(new Key(sender, issued, 1))),
            new Posted(peer, new Deliver(new Key(sender, issued, 2), 0, NOTHING)));
  }

  @Test
  void theNextMessageEndsTheOneBeforeAtItsMembers() {
    int member = member();
    protocol.arrived(peer, new Deliver(new Key(9, GROUP, 1), 0, NOTHING));
    protocol.arrived(peer, new Deliver(new Key(9, GROUP, 2), 0, NOTHING));
    protocol.receive(member, new Selection(null, null), 0, this::told);
    assertThat(result).isEqualTo(new Aborted<>(Status.NO_COMM));
    protocol.receive(member, new Selection(null, null), 0, this::told);
    assertThat(result).isInstanceOfSatisfying(Done.class, done -> assertThat(done.toString()).contains("session=2"));
  }

  @Test
  void aLostHostIsNotWaitedFor() {
    int sender = protocol.open();
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    port.hosts.remove(peer);
    protocol.lost(peer);
    assertThat(result).isEqualTo(new Aborted<>(Status.NO_MEMBERS));
  }

  @Test
  void aFullQueueIsNotCounted() {
    int member = member();
    for (int i = 1; i <= IpcProtocol.QUEUE_MAX; i++) {
      protocol.arrived(peer, new Deliver(new Key(i, GROUP, i), 0, NOTHING));
      assertThat(posted.getLast().message()).isEqualTo(new Delivered(new Key(i, GROUP, i), 1, false));
    }
    protocol.arrived(peer, new Deliver(new Key(99, GROUP, 99), 0, NOTHING));
    assertThat(posted.getLast().message()).isEqualTo(new Delivered(new Key(99, GROUP, 99), 0, true));
    port.hosts.clear();
    protocol.send(protocol.open(), GROUP, 0, NOTHING, 0, this::told);
    assertThat(result).isEqualTo(new Aborted<>(Status.NO_BUFF));

    protocol.arrived(peer, new Ended(new Key(1, GROUP, 1)));
    protocol.arrived(peer, new Deliver(new Key(99, GROUP, 100), 0, NOTHING));
    assertThat(posted.getLast().message()).isEqualTo(new Delivered(new Key(99, GROUP, 100), 1, false));
    assertThat(queued(member)).isEqualTo(IpcProtocol.QUEUE_MAX);
    protocol.check();
  }

  @Test
  void whatASenderHasUnderWayIsBounded() {
    int sender = protocol.open();
    for (int i = 0; i < IpcProtocol.UNANSWERED_MAX; i++) {
      protocol.send(sender, GROUP, 0, NOTHING, 0, _ -> {});
    }
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(result).isEqualTo(new Aborted<>(Status.NO_BUFF));
    protocol.arrived(peer, new Delivered(new Key(sender, GROUP, 1), 0, false));
    result = null;
    protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
    assertThat(result).isNull();

    for (int i = 0; i < IpcProtocol.GROUPS_MAX; i++) {
      protocol.join(sender, GroupId.wellKnown(100 + i));
    }
    assertThat(protocol.join(sender, GROUP)).isEqualTo(new Aborted<>(Status.NO_BUFF));
    for (int i = 1; i < IpcProtocol.PROCESSES_MAX; i++) {
      assertThat(protocol.open()).isPositive();
    }
    assertThat(protocol.open()).isZero();
  }

  @Test
  void aMemberThatMissedTheEndLearnsItByAProbe() {
    int member = member();
    protocol.arrived(peer, new Deliver(new Key(9, GROUP, 1), 0, NOTHING));
    protocol.receive(member, new Selection(null, null), 0, this::told);
    port.now = 50;
    protocol.tick();
    assertThat(posted.getLast()).isEqualTo(new Posted(peer, new Probe(new Key(9, GROUP, 1), member, false)));

    protocol.arrived(peer, new Probe(new Key(member, GROUP, 77), 5, false));
    assertThat(posted.getLast()).isEqualTo(new Posted(peer, new Ended(new Key(member, GROUP, 77))));
  }

  @Test
  void aRepetitionOfAMessageIsNotDeliveredAgain() {
    int member = member();
    var message = new Deliver(new Key(9, GROUP, 1), 0, NOTHING);
    protocol.arrived(peer, message);
    protocol.arrived(peer, message);
    assertThat(posted.getLast().message()).isEqualTo(new Delivered(message.key(), 0, false));
    assertThat(queued(member)).isEqualTo(1);
  }

  @Test
  void messagesAreReadAsTheyWereWrittenAndOthersRefused() throws Malformed {
    var key = new Key(4, GROUP, 1L << 40);
    List<IpcMessage> all =
        List.of(
            new Deliver(key, -5, ByteBuffer.wrap(new byte[] {1, 2})),
            new Delivered(key, 7, true),
            new IpcMessage.Reply(key, 3, ByteBuffer.wrap(new byte[] {3})),
            new Taken(key, 3),
            new Probe(key, 3, true),
            new Wanted(key, 3),
            new Ended(key));
    for (IpcMessage message : all) {
      var out = new WireWriter();
      IpcMessage.write(out, message);
      ByteBuffer bytes = out.copy();
      assertThat(IpcMessage.read(bytes.duplicate())).isEqualTo(message);
      assertThatThrownBy(() -> IpcMessage.read(bytes.duplicate().limit(9))).isInstanceOf(Malformed.class);
    }
    assertThatThrownBy(() -> IpcMessage.read(NOTHING)).isInstanceOf(Malformed.class);
  }

  private long queued(int member) {
    return protocol.queued(0).stream().filter(queued -> queued.member() == member).count();
  }

  private int member() {
    int number = protocol.open();
    assertThat(protocol.join(number, GROUP)).isEqualTo(new Done<>(1));
    return number;
  }

  private void told(Result<?> what) {
    result = what;
  }
}
