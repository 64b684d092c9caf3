package org.tutti.ipc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.MemberId;
import org.tutti.ipc.IpcProcess.Message;
import org.tutti.ipc.IpcProcess.Reply;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.Selection;
import org.tutti.transport.Address;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;
import org.tutti.transport.memory.InProcess;

/// Programs that are attached to a host, and hosts, that end, are killed, or stand still. What the calls of their
/// processes do is in [IpcTest].
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProgramsTest {
  private static final GroupId GROUP = GroupId.wellKnown(7);
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private Path directory;

  private final InProcess hub = new InProcess();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private Ipc host(String name) throws IOException {
    Ipc host = Ipc.open(name, hub.open(new Address(name)), List.of(new Address("a"), new Address("b")));
    open.add(host);
    return host;
  }

  private Path socket() {
    return directory.resolve("host.sock");
  }

  private Attachment attach() throws IOException {
    Attachment attached = Ipc.attach(socket());
    open.add(attached);
    return attached;
  }

  /// Another program of this machine, by its main class.
  private Process start(Class<?> main, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    open.add(() -> process.destroyForcibly().waitFor());
    return process;
  }

  private static void kill(Process process) throws Exception {
    assertThat(new ProcessBuilder("kill", "-9", String.valueOf(process.pid())).start().waitFor()).isZero();
    process.waitFor();
  }

  /// A program with a member that takes one message after the other, and replies to none.
  static final class Member {
    public static void main(String[] args) throws Exception {
      IpcProcess process = Ipc.attach(Path.of(args[0])).process();
      process.join(GROUP).join();
      System.out.println(process.id().number());
      while (process.receive(LONG).join() instanceof Done<Message>(Message message)) {
        System.out.println(UTF_8.decode(message.payload()));
      }
    }
  }

  /// A program with a host.
  static final class Host {
    public static void main(String[] args) throws Exception {
      var settings = TransportSettings.at(new Address("127.0.0.1:0"));
      Ipc host = Ipc.open("other", TransportProvider.named("tcp").open(settings), List.of());
      host.accept(Path.of(args[0]));
      System.out.println("ready");
      System.in.read();
    }
  }

  @Test
  void processesOfAProgramThatIsKilledEnd() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    Process program = start(Member.class, socket().toString());
    BufferedReader lines = program.inputReader();
    var member = new ProcessId(host.process().id().host(), Integer.parseInt(lines.readLine()));
    IpcProcess elsewhere = host("b").process();
    IpcProcess here = attach().process();
    within(host.heard(1));
    CompletableFuture<Result<Reply>> far = elsewhere.request(member, 0, bytes("far"), LONG);
    assertThat(lines.readLine()).isEqualTo("far");
    CompletableFuture<Result<Reply>> near = here.request(member, 0, bytes("near"), LONG);
    assertThat(lines.readLine()).isEqualTo("near");
    IpcProcess.Communication asked = done(elsewhere.send(GROUP, 0, bytes("all"), 1));
    assertThat(lines.readLine()).isEqualTo("all");

    kill(program);

    assertThat(status(far)).isEqualTo(Status.PROC_DEAD);
    assertThat(status(near)).isEqualTo(Status.PROC_DEAD);
    assertThat(status(asked.reply(Duration.ofMillis(1)))).isEqualTo(Status.TIMED_OUT);
    assertThat(status(elsewhere.send(GROUP, 0, bytes("all"), 1))).as("it has left").isEqualTo(Status.NO_MEMBERS);
    assertThat(status(elsewhere.send(member, 0, bytes("far"), LONG))).isEqualTo(Status.PROC_DEAD);
    assertThat(status(here.receiveFrom(member, null, LONG))).isEqualTo(Status.PROC_DEAD);
    await(() -> host.programs().attached() == 1);
    assertThat(host.programs().disconnected()).as("by the host").isEmpty();
  }

  @Test
  void callsOfAHostThatIsKilledGiveHostDead() throws Exception {
    Process program = start(Host.class, socket().toString());
    assertThat(program.inputReader().readLine()).isEqualTo("ready");
    Attachment attached = attach();
    assertThat(attached.host().name()).isEqualTo("other");
    IpcProcess process = attached.process();
    done(process.join(GROUP));
    CompletableFuture<Result<Message>> waits = process.receive(LONG);

    kill(program);

    assertThat(status(waits)).isEqualTo(Status.HOST_DEAD);
    assertThat(status(process.join(GROUP))).isEqualTo(Status.HOST_DEAD);
    assertThat(within(process.groups())).isEmpty();
    process.close();
    assertThatThrownBy(attached::process).isInstanceOf(IllegalStateException.class).hasMessageContaining("HOST_DEAD");
    assertThatThrownBy(() -> Ipc.attach(socket())).isInstanceOf(IOException.class).hasMessageContaining("it has ended");
    host("a").accept(socket());
    assertThat(attach().host().name()).as("the file was replaced").isEqualTo("a");
  }

  @Test
  void callsOfAHostThatIsClosedEnd() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    IpcProcess process = attach().process();
    CompletableFuture<Result<Message>> waits = process.receive(LONG);
    host.close();
    assertThat(status(waits)).isIn(Status.NO_COMM, Status.HOST_DEAD);
    await(() -> status(process.join(GROUP)) == Status.HOST_DEAD);
    assertThat(socket()).doesNotExist();
  }

  @Test
  void aProgramEndsItsProcessesWhenItGoes() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    Attachment attached = attach();
    IpcProcess member = attached.process();
    done(member.join(GROUP));
    CompletableFuture<Result<Message>> waits = member.receive(LONG);
    attached.close();
    assertThat(status(waits)).isEqualTo(Status.NO_COMM);
    assertThat(status(host.process().send(GROUP, 0, bytes("all"), 1))).isEqualTo(Status.NO_MEMBERS);
    assertThatThrownBy(() -> member.join(GROUP)).isInstanceOf(IllegalStateException.class);
    member.close();
    attached.close();
  }

  @Test
  void allProgramsShareTheProcessesOfAHost() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    List<IpcProcess> processes = new ArrayList<>();
    List<Attachment> programs = List.of(attach(), attach());
    for (int i = 0; i < IpcProtocol.PROCESSES_MAX; i++) {
      processes.add(i % 3 == 0 ? host.process() : programs.get(i % 3 - 1).process());
    }
    Set<ProcessId> ids = new HashSet<>();
    processes.forEach(process -> ids.add(process.id()));
    assertThat(ids).hasSize(IpcProtocol.PROCESSES_MAX);
    for (Attachment program : programs) {
      assertThatThrownBy(program::process).isInstanceOf(IllegalStateException.class).hasMessageContaining("1024");
    }
    processes.get(1).close();
    assertThat(programs.get(1).process().id().number()).isEqualTo(IpcProtocol.PROCESSES_MAX + 1);
    programs.get(0).close();
    assertThat(host.process()).as("its processes have ended").isNotNull();
  }

  @Test
  void aProgramThatDoesNotReadStopsNobodyAndIsDisconnected() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    IpcProcess sender = attach().process();
    IpcProcess other = attach().process();
    done(other.join(GROUP));
    int members = 300; // with a message of 1 MiB each, it is more than may wait
    try (RawProgram stuck = RawProgram.greeted(socket())) {
      List<Integer> processes = new ArrayList<>();
      for (int i = 0; i < members; i++) {
        processes.add(stuck.open());
        assertThat(stuck.result(processes.getLast(), new Request.Join(GROUP, ""))).isEqualTo(new Done<>(1));
      }
      for (int process : processes) {
        stuck.call(process, new Request.Receive(new Selection(null, null), LONG.toNanos()));
      }
      assertThat(stuck.result(processes.getLast(), new Request.Groups())).as("all wait").isInstanceOf(Done.class);
      assertThat(done(sender.send(GROUP, 1, ByteBuffer.allocate(1 << 20), 1)).count()).isEqualTo(members + 1);
      assertThat(done(other.receive(null, 1, LONG)).payload().remaining()).isEqualTo(1 << 20);
      await(() -> host.programs().attached() == 2);
      assertThat(host.programs().disconnected()).containsOnlyKeys(Programs.Reason.UNREAD);
      assertThat(done(sender.send(GROUP, 2, bytes("x"), 1)).count()).as("its processes have left").isEqualTo(1);
    }
  }

  @Test
  void aProgramActsForItsOwnProcessesOnly() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    IpcProcess own = host.process();
    IpcProcess attached = attach().process();
    try (RawProgram stranger = RawProgram.greeted(socket())) {
      for (IpcProcess each : List.of(own, attached)) {
        assertThat(stranger.result(each.id().number(), new Request.Join(GROUP, "")))
            .isEqualTo(new Aborted<>(Status.NO_COMM));
        assertThat(stranger.result(each.id().number(), new Request.End())).isEqualTo(new Aborted<>(Status.NO_COMM));
        assertThat(within(each.groups())).isEmpty();
        assertThat(done(each.join(GROUP))).isEqualTo(1);
      }
      assertThat(stranger.result(stranger.open(), new Request.Join(GROUP, ""))).isEqualTo(new Done<>(1));
    }
  }

  /// A program that uses [Ipc#attach] is refused before.
  @Test
  void aReplyToAGroupThatIsTooLongGoesNowhere() throws Exception {
    Ipc host = host("a");
    Ipc other = host("b");
    host.accept(socket());
    within(other.heard(1));
    try (RawProgram program = RawProgram.greeted(socket())) {
      int process = program.open();
      program.result(process, new Request.Join(GROUP, ""));
      IpcProcess.Communication asked = done(other.process().send(GROUP, 0, bytes("all"), 1));
      var receive = new Request.Receive(new Selection(null, null), LONG.toNanos());
      long message =
          program.result(process, receive) instanceof Done<IpcProtocol.Received>(IpcProtocol.Received got)
              ? got.id()
              : 0;
      var reply = new Request.Reply(message, ByteBuffer.allocate((1 << 20) + 1));
      assertThat(program.result(process, reply)).isEqualTo(new Aborted<>(Status.NO_BUFF));
      program.call(process, new Request.Reply(message, bytes("short")));
      assertThat(done(asked.reply(LONG)).payload()).isEqualTo(bytes("short"));
    }
  }

  @Test
  void whatIsNoMessageDisconnectsWhoSaysIt() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    IpcProcess other = attach().process();
    byte[] greeting = RawProgram.framed(new ProgramMessage.Hello(ProgramMessage.VERSION));
    byte[] empty = new byte[4];
    byte[] huge = ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array();
    byte[] negative = {-1, -1, -1, -1};
    byte[] unknown = {0, 0, 0, 1, 99};
    List<byte[]> bad = new ArrayList<>(List.of(empty, huge, negative, unknown, greeting));
    for (byte[] each : List.of("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8), empty, huge, negative, unknown)) {
      assertDisconnects(host, each);
    }
    for (byte[] each : bad) {
      assertDisconnects(host, greeting, each);
    }
    byte[] call = RawProgram.framed(new ProgramMessage.Call(1, 0, new Request.Open()));
    assertDisconnects(host, call);
    call[call.length - 1] = 77; // a request that is none
    assertDisconnects(host, greeting, call);
    assertThat(host.programs()).isEqualTo(new Programs(1, Map.of(Programs.Reason.MALFORMED, 12L)));
    assertThat(done(other.join(GROUP))).isEqualTo(1);
  }

  private void assertDisconnects(Ipc host, byte[]... said) throws IOException {
    try (RawProgram program = RawProgram.connected(socket())) {
      for (byte[] each : said) {
        program.write(each);
      }
      program.awaitEnd();
    }
    await(() -> host.programs().attached() == 1);
  }

  @Test
  void aProgramThatCallsOnAndOnIsDisconnected() throws Exception {
    Ipc host = Ipc.open("a", "", hub.open(new Address("a")), List.of(), new SilentServer());
    open.add(host);
    host.accept(socket());
    try (RawProgram program = RawProgram.greeted(socket())) {
      int process = program.open();
      for (int i = 0; i < Programs.CALLS_MAX + IpcProtocol.PROCESSES_MAX; i++) {
        program.call(process, new Request.Create("", ""));
      }
      assertThat(host.programs()).isEqualTo(new Programs(1, Map.of()));
      program.call(process, new Request.Create("", ""));
      program.awaitEnd();
      assertThat(host.programs().disconnected()).containsOnlyKeys(Programs.Reason.TOO_MANY_CALLS);
    }
  }

  /// A server that never answers.
  private static final class SilentServer implements GroupIds {
    @Override
    public CompletableFuture<Result<GroupId>> create(String password, String sendPassword) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Result<IssuedGroup>> look(GroupId id) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Result<IssuedGroup>> check(GroupId id, String password) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Result<SendKey>> sendKey(GroupId id, String sendPassword) {
      return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Result<GroupId>> destroy(GroupId id, String password) {
      return new CompletableFuture<>();
    }
  }

  @Test
  void aProgramOfAnotherVersionIsToldSo() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    try (RawProgram program = RawProgram.connected(socket())) {
      program.write(RawProgram.framed(new ProgramMessage.Hello(2)));
      assertThat(program.read())
          .isEqualTo(new ProgramMessage.Refusal(ProgramMessage.VERSION, ProgramMessage.Why.OTHER_VERSION));
      program.awaitEnd();
    }
    await(() -> host.programs().disconnected().containsKey(Programs.Reason.OTHER_VERSION));
  }

  @Test
  void aHostHasSoManyProgramsAtMost() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    Attachment first = attach();
    for (int i = 1; i < Programs.MAX; i++) {
      attach();
    }
    assertThatThrownBy(this::attach).isInstanceOf(IOException.class).hasMessageContaining("256 programs already");
    assertThat(host.programs().disconnected()).containsOnlyKeys(Programs.Reason.TOO_MANY_PROGRAMS);
    first.close();
    await(() -> host.programs().attached() == Programs.MAX - 1);
    attach();
  }

  @Test
  void whatListensMayBeNoHost() throws Exception {
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(socket()));
      for (String said : List.of("SSH-2.0-OpenSSH\n", "")) {
        var attaching = CompletableFuture.supplyAsync(() -> assertThatThrownBy(this::attach));
        try (SocketChannel accepted = other.accept()) {
          accepted.write(bytes(said));
        }
        String path = socket().toString();
        attaching
            .join()
            .isInstanceOf(IOException.class)
            .hasMessage(
                said.isEmpty()
                    ? "the host at " + path + " has disconnected this program"
                    : "this is no host of Tutti: " + path);
      }
    }
  }

  /// It takes as long as the host and the program wait for a greeting.
  @Test
  @Tag("deep")
  void whoSaysNothingIsNotWaitedForWithoutEnd() throws Exception {
    Ipc host = host("a");
    host.accept(socket());
    Path silent = directory.resolve("silent.sock");
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        RawProgram program = RawProgram.connected(socket())) {
      other.bind(UnixDomainSocketAddress.of(silent));
      assertThatThrownBy(() -> Ipc.attach(silent))
          .isInstanceOf(IOException.class)
          .hasMessage("the host at " + silent + " does not answer within 5 s");
      program.awaitEnd();
      assertThat(host.programs().disconnected()).containsOnlyKeys(Programs.Reason.SILENT);
    }
  }

  /// A host that stands still; at the end it is waited for as long as it may take to end processes.
  @Test
  @Tag("deep")
  void callsThatTheHostDoesNotTakeAreBounded() throws Exception {
    try (ServerSocketChannel still = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      still.bind(UnixDomainSocketAddress.of(socket()));
      var attaching =
          CompletableFuture.supplyAsync(() -> {
            try {
              return Ipc.attach(socket());
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      try (var host = new RawProgram(still.accept())) {
        var self = new MemberId("still", new Address("still"), 1);
        assertThat(host.read()).isEqualTo(new ProgramMessage.Hello(ProgramMessage.VERSION));
        host.write(RawProgram.framed(new ProgramMessage.Welcome(self)));
        Attachment attached = attaching.join();
        CompletableFuture<IpcProcess> opening = CompletableFuture.supplyAsync(attached::process);
        assertThat(host.read()).isEqualTo(new ProgramMessage.Call(1, 0, new Request.Open()));
        host.write(new byte[] {0, 0, 0, 4, 5, 1, 0, 9}); // the process has number 9
        IpcProcess process = opening.join();
        List<CompletableFuture<Result<Integer>>> calls = new ArrayList<>();
        for (int i = 0; i < Programs.CALLS_MAX; i++) {
          calls.add(process.join(GROUP));
        }
        assertThat(status(process.join(GROUP))).isEqualTo(Status.NO_BUFF);
        assertThat(calls).noneMatch(CompletableFuture::isDone);
        attached.close();
        assertThat(calls).allMatch(call -> status(call) == Status.NO_COMM);
      }
    }
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

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LONG.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it takes too long").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }
}
