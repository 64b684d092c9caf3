package org.tutti.ipc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.ipc.ProcessSource.Kind.OWN;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.MemberId;
import org.tutti.ipc.IpcProcess.Answers;
import org.tutti.ipc.IpcProcess.Communication;
import org.tutti.ipc.IpcProcess.Message;
import org.tutti.ipc.IpcProcess.Reply;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.PairMessage;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;
import org.tutti.transport.memory.InProcess;

/// What a program sees, with hosts in memory: every status is met here or in [org.tutti.ipc.protocol.IpcProtocolTest].
/// A program that is attached to a host sees the same.
@ParameterizedClass
@EnumSource
class IpcTest {
  private static final GroupId PRINTERS = GroupId.named("printers");
  private static final GroupId SCANNERS = GroupId.wellKnown(7);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final List<Address> HOSTS = List.of(new Address("a"), new Address("b"), new Address("c"));

  @Parameter private ProcessSource.Kind kind;
  @TempDir private Path directory;

  private ProcessSource processes;
  private final InProcess hub = new InProcess();
  private final List<Ipc> open = new ArrayList<>();

  @BeforeEach
  void open() {
    processes = new ProcessSource(kind, directory);
  }

  @AfterEach
  void close() {
    processes.close();
    open.forEach(Ipc::close);
  }

  @Test
  void aQuestionIsAnsweredByMembersOnSeveralHosts() {
    Ipc a = host("a");
    Ipc b = host("b");
    Ipc c = host("c");
    answering(b, PRINTERS, "b1");
    answering(b, PRINTERS, "b2");
    answering(c, PRINTERS, "c1");
    awaitHosts(a, 2);

    Answers answers = done(processes.of(a).ask(PRINTERS, bytes("free?")).replies(5, LONG));

    assertThat(answers.count()).isEqualTo(3);
    assertThat(answers.replies())
        .extracting(reply -> text(reply.payload()))
        .containsExactlyInAnyOrder("b1", "b2", "c1");
    assertThat(answers.replies()).extracting(reply -> reply.member().host().name()).contains("b", "c");
  }

  @Test
  void aQuestionIsAnsweredOverTcp() {
    TransportProvider tcp = TransportProvider.named("tcp");
    Transport there = tcp.open(TransportSettings.at(new Address("127.0.0.1:0")));
    Transport here = tcp.open(TransportSettings.at(new Address("127.0.0.1:0")));
    List<Address> contacts = List.of(there.address());
    Ipc b = Ipc.open("b", there, contacts);
    Ipc a = Ipc.open("a", here, contacts);
    open.addAll(List.of(a, b));
    answering(b, PRINTERS, "b1");
    awaitHosts(a, 1);
    Answers answers = done(processes.of(a).ask(PRINTERS, bytes("free?")).replies(1, LONG));
    assertThat(answers.replies()).extracting(reply -> text(reply.payload())).containsExactly("b1");
  }

  @Test
  void asManyRepliesAreTakenAsWanted() {
    Ipc a = host("a");
    IpcProcess one = member(a, PRINTERS);
    IpcProcess other = member(a, PRINTERS);
    CompletableFuture<Result<Answers>> answers = processes.of(a).ask(PRINTERS, bytes("free?")).replies(1, LONG);
    CompletableFuture<Result<Integer>> first = done(one.receive(LONG)).reply(bytes("yes"));
    assertThat(done(first)).isEqualTo(3);
    assertThat(done(answers).replies()).hasSize(1);
    assertThat(status(other.receive(LONG))).isEqualTo(Status.NO_COMM);
  }

  @Test
  void aReplyWaitsUntilItIsTaken() {
    Ipc a = host("a");
    IpcProcess member = member(a, PRINTERS);
    Communication sent = done(processes.of(a).send(PRINTERS, 0, bytes("free?"), 1));
    CompletableFuture<Result<Integer>> reply = done(member.receive(LONG)).reply(bytes("yes"));
    assertThat(status(member.receive(Duration.ofMillis(50)))).isEqualTo(Status.TIMED_OUT);
    assertThat(reply).isNotDone();
    Reply taken = done(sent.reply(LONG));
    assertThat(text(taken.payload())).isEqualTo("yes");
    assertThat(done(reply)).isEqualTo(3);
    assertThat(status(sent.reply(LONG))).isEqualTo(Status.NO_COMM);
  }

  @Test
  void repliesThatCameBeforeTheirNumberAreAskedForAgain() {
    Ipc a = host("a");
    IpcProcess member = member(a, PRINTERS);
    Communication sent = done(processes.of(a).send(PRINTERS, 0, bytes("free?"), 0));
    CompletableFuture<Result<Integer>> reply = done(member.receive(LONG)).reply(bytes("yes"));
    assertThat(status(sent.reply(Duration.ofMillis(50)))).isEqualTo(Status.TIMED_OUT);
    assertThat(done(sent.want(2))).isEqualTo(2);
    assertThat(done(sent.want(3))).isEqualTo(2);
    assertThat(text(done(sent.reply(LONG)).payload())).isEqualTo("yes");
    assertThat(done(reply)).isEqualTo(3);
    assertThat(done(sent.want(0))).isZero();
    assertThat(status(sent.want(1))).isEqualTo(Status.NO_COMM);
  }

  @Test
  void aLaterSendSupersedes() {
    Ipc a = host("a");
    IpcProcess member = member(a, PRINTERS);
    IpcProcess sender = processes.of(a);
    Communication first = done(sender.send(PRINTERS, 0, bytes("1"), 1));
    Message received = done(member.receive(LONG));
    Communication second = done(sender.send(PRINTERS, 0, bytes("2"), 1));
    assertThat(status(first.reply(LONG))).isEqualTo(Status.NO_COMM);
    assertThat(status(received.reply(bytes("late")))).isEqualTo(Status.NO_COMM);
    Message later = done(member.receive(LONG));
    assertThat(text(later.payload())).isEqualTo("2");
    later.reply(bytes("in time"));
    assertThat(text(done(second.reply(LONG)).payload())).isEqualTo("in time");
  }

  @Test
  void communicationsWithDifferentGroupsGoOnAtATime() {
    Ipc a = host("a");
    IpcProcess member = member(a, PRINTERS);
    done(member.join(SCANNERS));
    IpcProcess sender = processes.of(a);
    Communication print = done(sender.send(PRINTERS, 1, bytes("print"), 1));
    Communication scan = done(sender.send(SCANNERS, 2, bytes("scan"), 1));
    Message second = done(member.receive(null, 2, LONG));
    Message first = done(member.receive(PRINTERS, null, LONG));
    assertThat(text(second.payload())).isEqualTo("scan");
    assertThat(second.group()).isEqualTo(SCANNERS);
    assertThat(second.tag()).isEqualTo(2);
    first.reply(bytes("printed"));
    second.reply(bytes("scanned"));
    assertThat(text(done(print.reply(LONG)).payload())).isEqualTo("printed");
    assertThat(text(done(scan.reply(LONG)).payload())).isEqualTo("scanned");
  }

  @Test
  void anEmptyGroupIsSaidAtOnce() {
    Ipc a = host("a");
    host("b");
    awaitHosts(a, 1);
    assertThat(status(processes.of(a).ask(PRINTERS, bytes("free?")).replies(1, LONG))).isEqualTo(Status.NO_MEMBERS);
  }

  @Test
  void callsThatMakeNoSenseAreRefused() {
    Ipc a = host("a");
    IpcProcess member = member(a, PRINTERS);
    IpcProcess sender = processes.of(a);
    assertThat(status(sender.receive(PRINTERS, null, LONG))).isEqualTo(Status.NOT_MEMBER);
    assertThat(status(sender.leave(PRINTERS))).isEqualTo(Status.NOT_MEMBER);
    assertThat(status(sender.send(PRINTERS, 0, bytes("x"), 1025))).isEqualTo(Status.CM_ERROR);
    Communication sent = done(sender.send(PRINTERS, 0, bytes("x"), 2));
    assertThat(status(sent.want(-1))).isEqualTo(Status.CM_ERROR);
    Message message = done(member.receive(LONG));
    CompletableFuture<Result<Integer>> once = message.reply(bytes("y"));
    assertThat(status(message.reply(bytes("z")))).isEqualTo(Status.CM_MISMATCH);
    CompletableFuture<Result<Message>> waiting = member.receive(LONG);
    assertThat(status(member.receive(LONG))).isEqualTo(Status.CM_ERROR);
    assertThat(text(done(sent.reply(LONG)).payload())).isEqualTo("y");
    assertThat(done(once)).isEqualTo(1);
    member.close();
    assertThat(status(waiting)).isEqualTo(Status.NO_COMM);
    assertThatThrownBy(() -> sender.ask(PRINTERS, ByteBuffer.allocate((1 << 20) + 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1048577");
  }

  @Test
  void aSenderThatEndsReleasesItsMembers() {
    Ipc a = host("a");
    Ipc b = host("b");
    IpcProcess member = member(b, PRINTERS);
    awaitHosts(a, 1);
    IpcProcess sender = processes.of(a);
    byte[] large = new byte[1 << 20];
    done(sender.send(PRINTERS, 0, ByteBuffer.wrap(large), 1));
    Message message = done(member.receive(LONG));
    assertThat(message.payload()).isEqualTo(ByteBuffer.wrap(large));
    assertThat(message.sender().host().name()).isEqualTo("a");
    CompletableFuture<Result<Integer>> reply = message.reply(bytes("yes"));
    a.close();
    assertThat(status(reply)).isEqualTo(Status.NO_COMM);
    assertThatThrownBy(() -> processes.of(a)).isInstanceOf(IllegalStateException.class);
  }

  /// Each call is made where the one before is told: on the host's thread, or one of an attached program.
  @Test
  void aProgramGoesOnWithoutThreads() {
    Ipc a = host("a");
    IpcProcess process = member(a, PRINTERS);
    CompletableFuture<Result<Message>> all = another(process, kind == OWN ? 20_000 : 1000);
    assertThat(text(done(all).payload())).isEqualTo("0");
    CompletableFuture<Void> closed = process.groups().thenAccept(_ -> a.close());
    assertThat(closed).succeedsWithin(LONG);
    assertThatThrownBy(a::process).isInstanceOf(IllegalStateException.class);
  }

  private static CompletableFuture<Result<Message>> another(IpcProcess process, int left) {
    return process
        .send(PRINTERS, 0, bytes(Integer.toString(left)), 0)
        .thenCompose(_ -> process.receive(LONG))
        .thenCompose(got -> left == 0 ? CompletableFuture.completedFuture(got) : another(process, left - 1));
  }

  /// It receives again whatever it is told, even that its process has ended: it would go on for ever.
  @Test
  void aProgramThatNeverGivesUpHoldsUpNobody() {
    Ipc a = host("a");
    IpcProcess ended = member(a, SCANNERS);
    ended.close();
    var times = new AtomicLong();
    again(ended, times);
    IpcProcess other = member(a, PRINTERS);
    for (int number = 0; number < 100 || times.get() <= 10 && number < 100_000; number++) {
      assertThat(done(other.send(PRINTERS, number, bytes("x"), 0)).count()).isEqualTo(1);
      done(other.receive(LONG));
    }
    assertThat(times.get()).as("receives that the other one has begun meanwhile").isGreaterThan(10);
    CompletableFuture<Void> closed = CompletableFuture.runAsync(a::close, Thread::startVirtualThread);
    assertThat(closed).succeedsWithin(LONG);
  }

  private static void again(IpcProcess process, AtomicLong times) {
    times.incrementAndGet();
    process.receive(LONG).thenAccept(_ -> again(process, times));
  }

  @Test
  void whoWaitsForHostsIsToldWhenTheyAreHeard() {
    Ipc a = host("a");
    assertThat(within(a.heard(0))).isEmpty();
    CompletableFuture<Set<MemberId>> two = a.heard(2);
    host("b");
    assertThat(within(a.heard(1))).extracting(MemberId::name).containsExactly("b");
    assertThat(two).isNotDone();
    host("c");
    assertThat(within(two)).extracting(MemberId::name).containsExactly("b", "c");
    assertThatThrownBy(() -> a.heard(257))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 to 256");
    CompletableFuture<Set<MemberId>> never = a.heard(3);
    a.close();
    assertThatThrownBy(never::join).hasRootCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void hostsOfAnotherClusterAreNotHeard() {
    Ipc a = host("a");
    Ipc other = Ipc.open("b", "other", hub.open(new Address("b")), HOSTS);
    open.add(other);
    host("c");
    assertThat(within(a.heard(1))).extracting(MemberId::name).containsExactly("c");
    assertThat(other.hosts()).isEmpty();
  }

  @Test
  void waitsOfAClosedHostEnd() {
    Ipc a = host("a");
    CompletableFuture<Result<Message>> waiting = member(a, PRINTERS).receive(LONG);
    a.close();
    try {
      assertThat(status(waiting)).isIn(Status.NO_COMM, kind == OWN ? Status.NO_COMM : Status.HOST_DEAD);
    } catch (CompletionException stopped) {
      assertThat(stopped).hasCauseInstanceOf(IllegalStateException.class); // it came after the last turn
    }
  }

  @Test
  void twoProcessesTalk() {
    Ipc a = host("a");
    IpcProcess client = processes.of(a);
    IpcProcess server = processes.of(host("b"));
    awaitHosts(a, 1);
    CompletableFuture<Result<Reply>> answer = client.request(server.id(), 3, bytes("free?"), LONG);
    Message message = done(server.receive(LONG));
    assertThat(message.sender()).isEqualTo(client.id());
    assertThat(message.group()).isNull();
    assertThat(message.tag()).isEqualTo(3);
    assertThat(text(message.payload())).isEqualTo("free?");
    assertThat(done(message.reply(bytes("yes")))).isEqualTo(3);
    assertThat(done(answer).member()).isEqualTo(server.id());
    assertThat(text(done(answer).payload())).isEqualTo("yes");

    Communication sent = done(client.send(server.id(), 0, bytes("one"), LONG));
    assertThat(sent.count()).isEqualTo(1);
    assertThat(status(server.receiveFrom(server.id(), null, Duration.ZERO))).isEqualTo(Status.TIMED_OUT);
    Message one = done(server.receiveFrom(client.id(), 0, LONG));
    assertThat(done(sent.want(1))).isEqualTo(1);
    CompletableFuture<Result<Integer>> reply = one.reply(bytes("two"));
    assertThat(text(done(sent.reply(LONG)).payload())).isEqualTo("two");
    assertThat(done(reply)).isEqualTo(3);
    assertThat(status(sent.want(0))).isEqualTo(Status.NO_COMM);

    done(client.send(server.id(), 0, bytes("last"), LONG));
    client.close();
    Message last = done(server.receive(LONG));
    assertThat(text(last.payload())).isEqualTo("last");
    assertThat(status(client.send(server.id(), 0, bytes(""), LONG))).isEqualTo(Status.NO_COMM);
    server.close();
    assertThat(status(processes.of(a).send(server.id(), 0, bytes(""), LONG))).isEqualTo(Status.PROC_DEAD);
  }

  @Test
  void oneMessageMayBeLongAndItsReplyToo() {
    TransportProvider tcp = TransportProvider.named("tcp");
    Ipc b = Ipc.open("b", tcp.open(TransportSettings.at(new Address("127.0.0.1:0"))), List.of());
    open.add(b);
    Ipc a = b; // where the socket is tried, and not what is between hosts
    if (kind == OWN) {
      a = Ipc.open("a", tcp.open(TransportSettings.at(new Address("127.0.0.1:0"))), List.of(b.address()));
      open.add(a);
      awaitHosts(a, 1);
    }
    IpcProcess client = processes.of(a);
    IpcProcess server = processes.of(b);
    var message = ByteBuffer.allocate(PairMessage.BYTES_MAX);
    for (int i = 0; i < message.limit(); i += Long.BYTES) {
      message.putLong(i, i);
    }
    CompletableFuture<Result<Reply>> answer = client.request(server.id(), 0, message, LONG);
    Message received = done(server.receive(LONG));
    assertThat(received.payload().equals(message)).isTrue();
    received.reply(message.duplicate().limit(message.limit() - 1));
    assertThat(done(answer).payload().equals(message.duplicate().limit(message.limit() - 1))).isTrue();

    var longer = ByteBuffer.allocate(PairMessage.BYTES_MAX + 1);
    assertThat(status(client.send(server.id(), 0, longer, LONG))).isEqualTo(Status.NO_BUFF);
    assertThat(status(client.request(server.id(), 0, longer, LONG))).isEqualTo(Status.NO_BUFF);
    done(client.send(server.id(), 0, bytes("short"), LONG));
    assertThat(status(done(server.receive(LONG)).reply(longer))).isEqualTo(Status.NO_BUFF);
  }

  @Test
  void whoWaitForEachOtherAreTold() {
    Ipc a = host("a");
    Ipc b = host("b");
    awaitHosts(a, 1);
    awaitHosts(b, 1);
    IpcProcess one = processes.of(a);
    IpcProcess other = processes.of(b);
    CompletableFuture<Result<Reply>> first = one.request(other.id(), 0, bytes("?"), LONG);
    assertThat(status(other.request(one.id(), 0, bytes("?"), LONG))).isEqualTo(Status.CM_DEADLOCK);
    done(other.receive(LONG)).reply(bytes("!"));
    assertThat(text(done(first).payload())).isEqualTo("!");
  }

  @Test
  void aHostThatIsClosedIsDead() {
    Ipc a = host("a");
    Ipc b = host("b");
    awaitHosts(a, 1);
    IpcProcess server = processes.of(b);
    CompletableFuture<Result<Reply>> answer = processes.of(a).request(server.id(), 0, bytes("?"), LONG);
    done(server.receive(LONG));
    b.close();
    assertThat(status(answer)).isIn(Status.PROC_DEAD, Status.HOST_DEAD);
    var nobody = new ProcessId(new MemberId("nobody", new Address("nobody"), 1), 1);
    assertThat(status(processes.of(a).send(nobody, 0, bytes("?"), LONG))).isEqualTo(Status.HOST_DEAD);
  }

  @Test
  void idsOfGroupsAreNotThoseOfProcesses() {
    assertThat(GroupId.named("printers")).isEqualTo(GroupId.named("printers")).isNotEqualTo(GroupId.named("scanners"));
    assertThat(GroupId.named("printers").value()).isNegative();
    assertThat(GroupId.wellKnown(GroupId.PART_MAX)).isNotEqualTo(GroupId.wellKnown(0));
    assertThatThrownBy(() -> new GroupId(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new GroupId(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> GroupId.wellKnown(-1)).isInstanceOf(IllegalArgumentException.class);
    var host = new MemberId("a", new Address("a"), 1);
    assertThatThrownBy(() -> new ProcessId(host, GroupId.named("printers").value()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Ipc host(String name) {
    Ipc host = Ipc.open(name, hub.open(new Address(name)), HOSTS);
    open.add(host);
    return host;
  }

  private IpcProcess member(Ipc host, GroupId group) {
    IpcProcess member = processes.of(host);
    done(member.join(group));
    return member;
  }

  private void answering(Ipc host, GroupId group, String answer) {
    member(host, group).receive(LONG).thenCompose(message -> ((Done<Message>) message).value().reply(bytes(answer)));
  }

  private static void awaitHosts(Ipc host, int count) {
    assertThat(within(host.heard(count))).hasSizeGreaterThanOrEqualTo(count);
  }

  private static <T> T done(CompletableFuture<Result<T>> future) {
    return switch (within(future)) {
      case Done(T value) -> value;
      case Aborted(Status status) -> throw new AssertionError(status);
    };
  }

  private static <T> Status status(CompletableFuture<Result<T>> future) {
    return switch (within(future)) {
      case Done(T value) -> throw new AssertionError(value);
      case Aborted(Status status) -> status;
    };
  }

  private static <T> T within(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String text(ByteBuffer bytes) {
    return UTF_8.decode(bytes.duplicate()).toString();
  }
}
