package org.tutti.examples.accounts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.Event;
import org.tutti.Group;
import org.tutti.GroupConfig;
import org.tutti.LocalRequest;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.Outcome;
import org.tutti.SendOptions;
import org.tutti.Service;
import org.tutti.StateSink;
import org.tutti.StateSource;
import org.tutti.Status;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.Whiteboard;
import org.tutti.transport.Address;

/// A replica alone, fed with events.
class AccountReplicaTest {
  private static final MemberId OTHER = new MemberId("other", new Address("127.0.0.1:1"), 1);

  /// Not an event: the replica finds nothing more here, and goes on later.
  private static final Event PAUSE = closed("pause");

  private static Event closed(String words) {
    return new Event.Closed(new End(End.Cause.LEFT, words));
  }

  @TempDir private Path directory;
  private final List<StatusLine> reports = new ArrayList<>();
  private int deposits;

  @Test
  void theStateIsThatOfTheRequestAndDeliveriesGoOnMeanwhile() throws Exception {
    var sink = new Sink();
    run("donor", deposit(0), deposit(1), new Event.StateRequest(OTHER, sink), deposit(2));
    sink.closed.await();
    try (Ledger restored = Ledger.open(directory.resolve("newcomer"))) {
      restored.restore(new ByteArrayInputStream(sink.bytes.toByteArray()), 2);
      assertThat(restored.balance("alice")).isEqualTo(2);
    }
    assertThat(sink.complete).isTrue();
    assertThat(balance("donor")).isEqualTo(3);
  }

  @Test
  void aStateThatCannotBeWrittenIsNotCalledComplete() throws Exception {
    var sink = new Sink();
    sink.gone = true;
    run("donor", deposit(0), new Event.StateRequest(OTHER, sink));
    sink.closed.await();
    assertThat(sink.complete).isFalse();
  }

  @Test
  void anOfferThatBreaksOffIsVoidAndTheNextOneIsTaken() throws Exception {
    var sink = new Sink();
    run("donor", deposit(0), deposit(1), new Event.StateRequest(OTHER, sink));
    sink.closed.await();
    byte[] state = sink.bytes.toByteArray();
    reports.clear();
    var half = new SequenceInputStream(new ByteArrayInputStream(state, 0, state.length / 2), new Gone());
    run("newcomer", new Event.StateOffer(OTHER, 2, new Source(half)));
    assertThat(balance("newcomer")).isZero();
    assertThat(reports).noneMatch(StatusLine.CaughtUp.class::isInstance);
    run(
        "newcomer",
        new Event.StateOffer(OTHER, 2, new Source(new ByteArrayInputStream(state))),
        new Event.CaughtUp(2),
        deposit(2));
    assertThat(balance("newcomer")).isEqualTo(3);
    assertThat(reports).contains(new StatusLine.Received(state.length), new StatusLine.CaughtUp(3));
  }

  @Test
  void whatIsNoRequestIsSkipped() throws Exception {
    var junk = new Event.Delivery(OTHER, Service.TOTAL, 1, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    run("replica", deposit(0), junk, deposit(2));
    assertThat(balance("replica")).isEqualTo(2);
  }

  @Test
  void whatIsNotTotallyOrderedIsSkipped() throws Exception {
    var other = new ClientRequest(2, 1, new Transaction.Deposit("alice", 100));
    var early = new Event.Delivery(OTHER, Service.CAUSAL, -1, ByteBuffer.wrap(other.encode()));
    run("replica", deposit(0), early, deposit(1));
    assertThat(balance("replica")).isEqualTo(2);
  }

  @Test
  void clientsAreServedInPrimaryViewsOnly() throws Exception {
    run("replica", view(1, true), new Event.CaughtUp(0), deposit(0));
    assertThat(served()).containsExactly(new StatusLine.CaughtUp(1));
    reports.clear();
    var caughtUp = new Event.CaughtUp(0);
    run("other", view(1, true), caughtUp, PAUSE, view(2, false), PAUSE, view(3, true), PAUSE, caughtUp);
    assertThat(served())
        .containsExactly(new StatusLine.CaughtUp(0), new StatusLine.Suspended(0), new StatusLine.CaughtUp(0));
  }

  @Test
  void whoMissedAPrimaryViewServesWhenItHasTheState() throws Exception {
    var sink = new Sink();
    run("donor", deposit(0), deposit(1), new Event.StateRequest(OTHER, sink));
    sink.closed.await();
    var offer = new Event.StateOffer(OTHER, 2, new Source(new ByteArrayInputStream(sink.bytes.toByteArray())));
    reports.clear();
    run(
        "absent",
        view(1, true),
        new Event.CaughtUp(0),
        PAUSE,
        view(2, false),
        PAUSE,
        view(4, true),
        PAUSE,
        offer,
        new Event.CaughtUp(2));
    assertThat(served())
        .containsExactly(new StatusLine.CaughtUp(0), new StatusLine.Suspended(0), new StatusLine.CaughtUp(2));
  }

  @Test
  void aReplicaThatGoesOnWithWhatItKeptServesWhenItIsCaughtUp() throws Exception {
    run("kept", Durability.VIEWS, view(5, false), deposit(0), deposit(1), view(6, true), PAUSE, new Event.CaughtUp(2));
    assertThat(served()).containsExactly(new StatusLine.CaughtUp(2));
    reports.clear();
    run("kept", Durability.VIEWS, view(7, false), deposit(2), view(8, true), PAUSE);
    assertThat(served()).isEmpty();
    assertThat(balance("kept")).isEqualTo(3);
  }

  private List<StatusLine> served() {
    return reports.stream().filter(r -> r instanceof StatusLine.CaughtUp || r instanceof StatusLine.Suspended).toList();
  }

  private static Event view(long number, boolean primary) {
    return new Event.ViewChange(new View(new ViewId(number, OTHER.incarnation()), List.of(OTHER), primary, List.of()));
  }

  private Event deposit(long position) {
    var request = new ClientRequest(1, ++deposits, new Transaction.Deposit("alice", 1));
    return new Event.Delivery(OTHER, Service.TOTAL, position, ByteBuffer.wrap(request.encode()));
  }

  private void run(String name, Event... events) throws Exception {
    var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Ledger ledger = Ledger.open(directory.resolve(name));
        var clients = new ClientPort(loopback, _ -> {})) {
      var group = new Script(events);
      assertThat(new AccountReplica(group, ReplicaDirectory.of(ledger), clients, reports::add).run())
          .isEqualTo("end of the script");
    }
  }

  private void run(String name, Durability durability, Event... events) throws Exception {
    var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ReplicaDirectory own = ReplicaDirectory.open(directory.resolve(name), durability, false);
        var clients = new ClientPort(loopback, _ -> {})) {
      var group = new Script(events);
      assertThat(new AccountReplica(group, own, clients, reports::add).run()).isEqualTo("end of the script");
    }
  }

  private long balance(String name) throws SQLException {
    try (Ledger ledger = Ledger.open(directory.resolve(name))) {
      return ledger.balance("alice");
    }
  }

  /// Collects a state.
  private static final class Sink extends StateSink {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final CountDownLatch closed = new CountDownLatch(1);
    volatile boolean complete;
    volatile boolean gone;

    @Override
    public void write(int value) throws IOException {
      if (gone) {
        throw new IOException("the newcomer has gone");
      }
      bytes.write(value);
    }

    @Override
    public byte[] token() {
      return new byte[0];
    }

    @Override
    public void complete() {
      complete = true;
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }

  /// A state that is here.
  private static final class Source extends StateSource {
    private final InputStream bytes;

    Source(InputStream bytes) {
      this.bytes = bytes;
    }

    @Override
    public void resume(byte[] token) {}

    @Override
    public int read() throws IOException {
      return bytes.read();
    }

    @Override
    public void close() {}
  }

  /// What a newcomer reads once its donor has gone.
  private static final class Gone extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("the donor has gone");
    }
  }

  /// A membership that consists of given events, then the end.
  private static final class Script implements Group {
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

    Script(Event... events) {
      this.events.addAll(List.of(events));
    }

    @Override
    public void persisted(long position) {}

    @Override
    public Status status() {
      throw new UnsupportedOperationException("in a script");
    }

    @Override
    public Event receive() {
      Event next = events.poll();
      while (next == PAUSE) {
        next = events.poll();
      }
      return next == null ? closed("end of the script") : next;
    }

    @Override
    public @Nullable Event receive(Duration wait) {
      if (!wait.isZero()) {
        return receive();
      }
      return events.peek() == PAUSE ? null : events.poll();
    }

    @Override
    public String name() {
      return "accounts";
    }

    @Override
    public MemberId self() {
      return OTHER;
    }

    @Override
    public @Nullable GroupConfig config() {
      return null;
    }

    @Override
    public @Nullable View view() {
      return null;
    }

    @Override
    public CompletableFuture<Outcome> multicast(ByteBuffer payload, SendOptions how) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Outcome> tryMulticast(ByteBuffer payload, SendOptions how) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void post(ByteBuffer payload, SendOptions how) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryPost(ByteBuffer payload, SendOptions how) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean propagate(byte[] payload) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Long> confirmPosition() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Whiteboard whiteboard() {
      throw new UnsupportedOperationException();
    }

    @Override
    public <R extends @Nullable Object> R localCall(LocalRequest<R> request) {
      throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Ordering ordering() {
      return null;
    }

    @Override
    public CompletableFuture<Void> switchTo(Ordering ordering) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> leave() {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<View> joined() {
      throw new UnsupportedOperationException();
    }

    @Override
    public View awaitServing(Duration wait) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean close(Duration wait) {
      return true;
    }
  }
}
