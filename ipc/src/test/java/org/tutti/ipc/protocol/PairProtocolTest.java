package org.tutti.ipc.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.tutti.MemberId;
import org.tutti.ipc.ProcessId;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.TakenReply;
import org.tutti.ipc.protocol.PairMessage.Ask;
import org.tutti.ipc.protocol.PairMessage.Chase;
import org.tutti.ipc.protocol.PairMessage.Edge;
import org.tutti.ipc.protocol.PairMessage.Gone;
import org.tutti.ipc.protocol.PairMessage.More;
import org.tutti.ipc.protocol.PairMessage.Offer;
import org.tutti.ipc.protocol.PairMessage.Over;
import org.tutti.ipc.protocol.PairMessage.Pair;
import org.tutti.ipc.protocol.PairMessage.Part;
import org.tutti.ipc.protocol.PairMessage.Queued;
import org.tutti.ipc.protocol.PairMessage.ReplyTaken;
import org.tutti.ipc.protocol.PairMessage.Why;
import org.tutti.transport.Address;
import org.tutti.wire.Malformed;
import org.tutti.wire.WireWriter;

/// Communications of two processes, between hosts whose messages the test carries in their order, or keeps.
class PairProtocolTest {
  private static final int PART = 100;
  private static final int WINDOW = 400;
  private static final int BUFFER = 5000;
  private static final int LONGEST = 2000;
  private static final long PROBE = 50;
  private static final long LONG = 1_000_000;
  private static final Selection ANY = new Selection(null, null);

  private record Posted(Host from, MemberId to, PairMessage message) {}

  private final List<Host> hosts = new ArrayList<>();
  private final ArrayDeque<Posted> wire = new ArrayDeque<>();
  private Predicate<PairMessage> kept = _ -> false;
  private final List<Posted> keptBack = new ArrayList<>();
  private long now;

  private final class Host implements IpcProtocol.Port {
    final MemberId id;
    final Set<MemberId> others = new TreeSet<>();
    final IpcProtocol protocol;

    Host(String name, long incarnation) {
      id = new MemberId(name, new Address(name), incarnation);
      var settings = new PairProtocol.Settings(PART, WINDOW, BUFFER, LONGEST);
      protocol = new IpcProtocol(id, new IpcProtocol.Times(100, PROBE), settings, this);
      for (Host other : hosts) {
        other.others.add(id);
        others.add(other.id);
      }
      hosts.add(this);
    }

    @Override
    public long now() {
      return now;
    }

    @Override
    public Set<MemberId> hosts() {
      return others;
    }

    @Override
    public void send(Collection<MemberId> to, IpcMessage message) {}

    @Override
    public void send(Collection<MemberId> to, MembershipMessage message) {}

    @Override
    public void send(MemberId to, PairMessage message) {
      if (others.contains(to)) {
        wire.add(new Posted(this, to, message));
      }
    }

    void lose(Host other) {
      others.remove(other.id);
      protocol.lost(other.id);
    }
  }

  /// A process, and what came of its calls.
  private final class Process {
    final Host host;
    final int number;
    final List<Result<?>> results = new ArrayList<>();

    Process(Host host) {
      this.host = host;
      this.number = host.protocol.open();
    }

    ProcessId id() {
      return new ProcessId(host.id, number);
    }

    void send(Process to, int length) {
      pairs().send(number, to.id(), 0, ByteBuffer.allocate(length), LONG, results::add);
      carry();
    }

    void request(Process to, long timeout) {
      pairs().request(number, to.id(), 0, ByteBuffer.allocate(1), timeout, results::add);
      carry();
    }

    Received receive() {
      List<Result<Received>> got = new ArrayList<>();
      host.protocol.receive(number, ANY, 0, got::add);
      carry();
      return got.getFirst() instanceof Done<Received>(Received received) ? received : null;
    }

    void receiveFrom(Process from) {
      host.protocol.receive(number, new Selection(null, from.id(), null), LONG, results::add);
      carry();
    }

    void reply(Received received, int length) {
      host.protocol.reply(number, received.id(), ByteBuffer.allocate(length), results::add);
      carry();
    }

    void take(long session, Process of) {
      pairs().getreply(number, of.id(), session, LONG, results::add);
      carry();
    }

    void end() {
      host.protocol.end(number);
      carry();
    }

    PairProtocol pairs() {
      return host.protocol.pairs();
    }

    Object last() {
      return results.isEmpty()
          ? "nothing"
          : results.getLast() instanceof Aborted<?>(Status status) ? status : ((Done<?>) results.getLast()).value();
    }

    long session() {
      return ((IpcProtocol.Sent) last()).session();
    }
  }

  private final Host a = new Host("a", 1);
  private final Host b = new Host("b", 2);
  private final Process client = new Process(a);
  private final Process server = new Process(b);

  /// Carries all that is said, also what is said on it.
  private void carry() {
    for (Posted next = wire.poll(); next != null; next = wire.poll()) {
      if (kept.test(next.message)) {
        keptBack.add(next);
      } else {
        arrive(next);
      }
      hosts.forEach(host -> host.protocol.check());
    }
  }

  private void arrive(Posted posted) {
    PairMessage message = copied(posted.message);
    hosts.stream()
        .filter(host -> host.id.equals(posted.to) && host.others.contains(posted.from.id))
        .forEach(host -> host.protocol.arrived(posted.from.id, message));
  }

  private static PairMessage copied(PairMessage message) {
    var out = new WireWriter();
    PairMessage.write(out, message);
    try {
      assertThat(PairMessage.isOne(out.copy())).isTrue();
      PairMessage read = PairMessage.read(out.copy());
      assertThat(read).isEqualTo(message);
      return read;
    } catch (Malformed malformed) {
      throw new AssertionError(malformed);
    }
  }

  /// Lets what was kept go.
  private void letGo() {
    kept = _ -> false;
    List<Posted> all = List.copyOf(keptBack);
    keptBack.clear();
    all.forEach(this::arrive);
    carry();
  }

  private void pass(long nanos) {
    for (long end = now + nanos; now < end; now = Math.min(end, now + PROBE)) {
      hosts.forEach(host -> host.protocol.tick());
      carry();
    }
  }

  // ---- messages and replies ----------------------------------------------------------------------------------------

  @Test
  void aRequestIsAnsweredAndIsOver() {
    client.request(server, LONG);
    Received received = server.receive();
    assertThat(received.sender()).isEqualTo(client.id());
    assertThat(received.group()).isNull();
    server.reply(received, 7);
    assertThat(client.last()).isEqualTo(new TakenReply(server.id(), ByteBuffer.allocate(7)));
    assertThat(server.last()).isEqualTo(7);
    assertThat(client.pairs().open()).isZero();
    assertThat(server.pairs().sizes()).isEqualTo(new PairProtocol.Sizes(0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void longMessagesAndRepliesComeInPartsOfWhichFewAreUnderWay() {
    List<Integer> asked = new ArrayList<>();
    kept =
        message -> {
          if (message instanceof More more) {
            asked.add(more.upTo() - more.from());
          } else if (message instanceof Part part) {
            assertThat(part.bytes().remaining()).isLessThanOrEqualTo(PART);
          }
          return false;
        };
    var message = ByteBuffer.allocate(LONGEST);
    for (int i = 0; i < LONGEST; i++) {
      message.put(i, (byte) i);
    }
    client.pairs().send(client.number, server.id(), 5, message, LONG, client.results::add);
    carry();
    assertThat(asked).isNotEmpty().allMatch(bytes -> bytes <= WINDOW);
    assertThat(asked.stream().mapToInt(Integer::intValue).sum()).isEqualTo(LONGEST - PART);
    Received received = server.receive();
    assertThat(received.payload()).isEqualTo(message);
    assertThat(received.tag()).isEqualTo(5);
    client.take(client.session(), server);
    server.reply(received, LONGEST);
    assertThat(client.last()).isEqualTo(new TakenReply(server.id(), ByteBuffer.allocate(LONGEST)));
  }

  @Test
  void aFullQueueHoldsTheSenderUp() {
    List<Process> senders = new ArrayList<>();
    for (int i = 0; i <= PairProtocol.QUEUE_MAX; i++) {
      senders.add(new Process(a));
      senders.getLast().send(server, 1);
    }
    assertThat(senders).filteredOn(sender -> sender.results.isEmpty()).containsExactly(senders.getLast());
    assertThat(server.pairs().sizes().offers()).isEqualTo(1);
    server.receive();
    assertThat(senders.getLast().results).hasSize(1);
    for (int i = 1; i < senders.size(); i++) {
      assertThat(server.receive().sender()).isEqualTo(senders.get(i).id());
    }
  }

  @Test
  void bytesThatAreKeptAreBounded() {
    List<Process> senders = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      senders.add(new Process(i % 2 == 0 ? a : b));
      senders.getLast().send(server, LONGEST);
    }
    assertThat(server.pairs().sizes().in()).isEqualTo(2 * LONGEST);
    assertThat(senders.get(2).results).isEmpty();
    server.receive();
    assertThat(senders.get(2).results).hasSize(1);
    client.send(server, LONGEST + 1);
    assertThat(client.last()).isEqualTo(Status.NO_BUFF);
    new Process(a).send(new Process(b), LONGEST);
    client.send(new Process(b), LONGEST);
    client.send(new Process(b), LONGEST);
    client.send(new Process(b), LONGEST);
    assertThat(client.last()).isEqualTo(Status.NO_BUFF);
  }

  @Test
  void tooManyThatWaitForRoomAreRefused() {
    int hostsWithSenders = 2;
    for (int i = 0; i < PairProtocol.QUEUE_MAX + PairProtocol.OFFERS_MAX; i++) {
      arriveAt(server, new Pair(i + 1, server.number, i + 1));
    }
    assertThat(hosts).hasSize(hostsWithSenders);
    client.send(server, 1);
    arriveAt(server, new Pair(5000, server.number, 5000));
    assertThat(wire.stream().map(Posted::message)).contains(new Gone(new Pair(5000, server.number, 5000), Why.NO_ROOM));
  }

  private void arriveAt(Process to, Pair pair) {
    to.host.protocol.arrived(a.id, new Offer(pair, false, 0, 0, ByteBuffer.allocate(0)));
  }

  @Test
  void aMessageThatComesAgainIsNotReceivedAgain() {
    arriveAt(server, new Pair(client.number, server.number, 3));
    arriveAt(server, new Pair(client.number, server.number, 3));
    arriveAt(server, new Pair(client.number, server.number, 2));
    assertThat(server.receive().session()).isEqualTo(3);
    assertThat(server.receive()).isNull();
  }

  @Test
  void aLaterMessageEndsTheCommunicationAndNotTheMessage() {
    client.send(server, 1);
    long first = client.session();
    Received received = server.receive();
    server.reply(received, 1);
    client.send(server, 2);
    assertThat(server.last()).isEqualTo(Status.NO_COMM);
    client.take(first, server);
    assertThat(client.last()).isEqualTo(Status.NO_COMM);

    client.send(server, 3);
    Received second = server.receive();
    assertThat(second.payload().remaining()).isEqualTo(2);
    server.reply(second, 1);
    assertThat(server.last()).isEqualTo(Status.NO_COMM);
    assertThat(server.receive().payload().remaining()).isEqualTo(3);
  }

  @Test
  void aReplyWaitsUntilItIsTakenAndOnlyOnce() {
    client.send(server, 1);
    long session = client.session();
    Received received = server.receive();
    server.reply(received, 4);
    assertThat(server.results).isEmpty();
    server.reply(received, 4);
    assertThat(server.last()).isEqualTo(Status.CM_MISMATCH);
    client.take(session, server);
    assertThat(client.last()).isEqualTo(new TakenReply(server.id(), ByteBuffer.allocate(4)));
    assertThat(server.last()).isEqualTo(4);
    client.take(session, server);
    assertThat(client.last()).isEqualTo(Status.NO_COMM);
  }

  @Test
  void aCommunicationEndsWhenItsSenderSaysSo() {
    client.send(server, 1);
    assertThat(client.pairs().totreply(client.number, server.id(), client.session(), 3)).isEqualTo(new Done<>(1));
    Received received = server.receive();
    server.reply(received, 4);
    assertThat(client.pairs().totreply(client.number, server.id(), client.session(), -1))
        .isEqualTo(new Aborted<>(Status.CM_ERROR));
    assertThat(client.pairs().totreply(client.number, server.id(), client.session(), 0)).isEqualTo(new Done<>(0));
    carry();
    assertThat(server.last()).isEqualTo(Status.NO_COMM);
  }

  @Test
  void callsEndInTheirTime() {
    kept = message -> message instanceof Queued;
    client.pairs().send(client.number, server.id(), 0, ByteBuffer.allocate(1), 30, client.results::add);
    carry();
    now = 30;
    a.protocol.tick();
    assertThat(client.last()).isEqualTo(Status.TIMED_OUT);
    letGo();
    client.request(server, 30);
    now = 60;
    a.protocol.tick();
    carry();
    assertThat(client.last()).isEqualTo(Status.TIMED_OUT);
    assertThat(server.receive()).isNotNull();
    Received second = server.receive();
    server.reply(second, 1);
    assertThat(server.last()).isEqualTo(Status.NO_COMM);
  }

  // ---- who is dead -------------------------------------------------------------------------------------------------

  @Test
  void aProcessThatEndsIsTold() {
    Process other = new Process(b);
    client.send(other, 1);
    long session = client.session();
    other.end();
    client.take(session, other);
    assertThat(client.last()).isEqualTo(Status.PROC_DEAD);
    client.send(other, 1);
    assertThat(client.last()).isEqualTo(Status.PROC_DEAD);
    client.request(server, LONG);
    Received received = server.receive();
    server.reply(new Received(99, client.id(), null, 1, 0, ByteBuffer.allocate(0)), 1);
    assertThat(server.last()).isEqualTo(Status.NO_COMM);
    server.end();
    assertThat(received).isNotNull();
    assertThat(client.last()).isEqualTo(Status.PROC_DEAD);
  }

  @Test
  void aSenderThatEndsIsToldToWhoReplies() {
    client.send(server, 1);
    server.reply(server.receive(), 1);
    client.end();
    assertThat(server.last()).isEqualTo(Status.PROC_DEAD);
  }

  @Test
  void whatIsInTheQueueIsReceivedAlthoughItsSenderIsGone() {
    client.send(server, 1);
    client.end();
    Received received = server.receive();
    server.reply(received, 1);
    assertThat(server.last()).isEqualTo(Status.NO_COMM);
    Process second = new Process(a);
    second.send(server, 2);
    b.lose(a);
    assertThat(server.receive().payload().remaining()).isEqualTo(2);
  }

  @Test
  void aHostThatIsNotHeardIsTold() {
    client.send(server, 1);
    long session = client.session();
    Process second = new Process(a);
    second.request(server, LONG);
    kept = message -> message instanceof Offer;
    server.reply(server.receive(), 1);
    a.lose(b);
    b.lose(a);
    assertThat(second.last()).isEqualTo(Status.HOST_DEAD);
    assertThat(server.last()).isEqualTo(Status.HOST_DEAD);
    client.take(session, server);
    assertThat(client.last()).isEqualTo(Status.HOST_DEAD);
    client.send(server, 1);
    assertThat(client.last()).isEqualTo(Status.HOST_DEAD);
    client.receiveFrom(server);
    assertThat(client.last()).isEqualTo(Status.HOST_DEAD);
  }

  @Test
  void whenOneSideOnlyLosesTheOtherBothFindOut() {
    client.request(server, LONG);
    Received received = server.receive();
    assertThat(received).isNotNull();
    b.lose(a);
    b.others.add(a.id);
    pass(2 * PROBE);
    assertThat(client.last()).isEqualTo(Status.HOST_DEAD);

    client.send(server, 1);
    kept = message -> message instanceof Offer;
    server.reply(server.receive(), 1);
    a.lose(b);
    a.others.add(b.id);
    pass(2 * PROBE);
    assertThat(server.last()).isEqualTo(Status.NO_COMM);
  }

  @Test
  void aReplyThatHasComeIsTakenWhateverBecomesOfItsSender() {
    client.send(server, 1);
    long session = client.session();
    server.reply(server.receive(), 4);
    a.lose(b);
    client.take(session, server);
    assertThat(client.last()).isEqualTo(new TakenReply(server.id(), ByteBuffer.allocate(4)));
  }

  @Test
  void whoWaitsForAProcessOfThisHostThatEndsIsTold() {
    Process near = new Process(a);
    client.receiveFrom(near);
    assertThat(client.results).isEmpty();
    near.end();
    assertThat(client.last()).isEqualTo(Status.PROC_DEAD);
    client.receiveFrom(near);
    assertThat(client.results).hasSize(2).allMatch(new Aborted<>(Status.PROC_DEAD)::equals);
  }

  // ---- deadlocks ---------------------------------------------------------------------------------------------------

  @Test
  void aCycleIsToldToItsLargestProcess() {
    Process third = new Process(new Host("c", 3));
    client.request(server, LONG);
    server.request(third, LONG);
    third.request(client, LONG);
    pass(4 * PROBE);
    assertThat(third.last()).isEqualTo(Status.CM_DEADLOCK);
    assertThat(client.results).isEmpty();
    assertThat(server.results).isEmpty();
    Received received = third.receive();
    third.reply(received, 1);
    assertThat(server.last()).isInstanceOf(TakenReply.class);
  }

  @Test
  void aProcessThatWaitsForItselfIsTold() {
    client.request(client, LONG);
    pass(4 * PROBE);
    assertThat(client.last()).isEqualTo(Status.CM_DEADLOCK);
    server.receiveFrom(server);
    pass(4 * PROBE);
    assertThat(server.last()).isEqualTo(Status.CM_DEADLOCK);
  }

  @Test
  void aReceiveFromOneProcessAndASendToAFullQueueWait() {
    client.receiveFrom(server);
    for (int i = 0; i < PairProtocol.QUEUE_MAX; i++) {
      Process other = new Process(b);
      other.send(client, 1);
    }
    server.receiveFrom(client);
    pass(4 * PROBE);
    assertThat(server.last()).isEqualTo(Status.CM_DEADLOCK);
    assertThat(client.results).isEmpty();
  }

  @Test
  void whoMayStillGoOnIsNotInADeadlock() {
    client.request(server, LONG);
    server.request(client, LONG);
    server.host.protocol.receive(server.number, ANY, LONG, server.results::add);
    carry();
    assertThat(server.last()).as("it receives what the client asks").isInstanceOf(Received.class);
    Process third = new Process(b);
    third.request(client, LONG);
    pass(10 * PROBE);
    assertThat(third.results).as("it waits for a cycle, and is in none").isEmpty();
    assertThat(server.results).hasSize(2);
  }

  @Test
  void aReplyUnderWayIsNoDeadlock() {
    client.request(server, LONG);
    Received received = server.receive();
    kept = message -> message instanceof Offer offer && offer.reply();
    server.host.protocol.reply(server.number, received.id(), ByteBuffer.allocate(1), _ -> {});
    carry();
    server.request(client, LONG);
    kept = message -> message instanceof Offer offer && offer.reply() || message instanceof ReplyTaken;
    pass(10 * PROBE);
    assertThat(client.results).isEmpty();
    assertThat(server.results).isEmpty();
  }

  /// The client has given up when the server begins to wait, but the server's host does not know that yet.
  @Test
  void waitsThatWereNotAtTheSameTimeAreNoDeadlock() {
    Process third = new Process(new Host("c", 3));
    client.request(server, 3 * PROBE + 1);
    third.request(client, LONG);
    kept = message -> message instanceof Chase chase && chase.marks().size() == 2 || message instanceof Over;
    pass(3 * PROBE);
    assertThat(keptBack).isNotEmpty();
    now += 2;
    a.protocol.tick();
    carry();
    assertThat(client.last()).isEqualTo(Status.TIMED_OUT);
    server.request(third, LONG);
    letGo();
    pass(4 * PROBE);
    assertThat(third.results).isEmpty();
    assertThat(server.results).isEmpty();
  }

  @Test
  void malformedMessagesAreRefused() {
    for (PairMessage message :
        List.of(
            new Ask(new Pair(0, 1, 1), true),
            new Ask(new Pair(1, 0, 1), true),
            new More(new Pair(1, 1, 1), false, 7, 6),
            new Offer(new Pair(1, 1, 1), false, 0, 1, ByteBuffer.allocate(2)),
            new Part(new Pair(1, 1, 1), false, 0, ByteBuffer.allocate(PairMessage.PART_BYTES_MAX + 1)),
            new Chase(client.id(), List.of(), 0, new Edge(PairMessage.Wait.REPLY, new Pair(1, 1, 1))))) {
      refused(out -> PairMessage.write(out, message));
    }
    refused(out -> out.u8(PairMessage.FIRST_KIND + 9));
    refused(out -> {
      PairMessage.write(out, new Over(new Pair(1, 1, 1), true));
      out.u8(0);
    });
  }

  private static void refused(Consumer<WireWriter> written) {
    var out = new WireWriter();
    written.accept(out);
    assertThatThrownBy(() -> PairMessage.read(out.copy())).isInstanceOf(Malformed.class);
  }
}
