package org.tutti.ipc.ids;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.Ipc;
import org.tutti.ipc.IpcProcess;
import org.tutti.ipc.IpcProcess.Answers;
import org.tutti.ipc.IpcProcess.Communication;
import org.tutti.ipc.IpcProcess.Message;
import org.tutti.ipc.ProcessSource;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;
import org.tutti.transport.Address;
import org.tutti.transport.Transport;
import org.tutti.transport.TransportProvider;
import org.tutti.transport.TransportSettings;

/// Three hosts over TCP on loopback that create, use and destroy groups by three servers, of which one ends.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@EnumSource(names = {"OWN", "ATTACHED"})
class CreatedGroupsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @Parameter private ProcessSource.Kind kind;
  @TempDir private Path directory;

  private ProcessSource processes;
  private IdServers servers;
  private final List<Ipc> hosts = new ArrayList<>();

  @BeforeEach
  void open() throws Exception {
    processes = new ProcessSource(kind, directory);
    servers = new IdServers(directory);
    List<Address> first = new ArrayList<>();
    for (String name : List.of("a", "b", "c")) {
      Transport tcp = TransportProvider.named("tcp").open(settings());
      hosts.add(Ipc.open(name, "tutti", tcp, List.copyOf(first), servers.client(LONG)));
      first.add(hosts.getLast().address());
    }
    for (Ipc host : hosts) {
      within(host.heard(2));
    }
  }

  @AfterEach
  void close() {
    processes.close();
    hosts.forEach(Ipc::close);
    servers.close();
  }

  private static <T> T within(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
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

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  @Test
  void aGroupIsCreatedUsedAndDestroyedWhileAServerEnds() {
    IpcProcess owner = processes.of(hosts.get(0));
    IpcProcess b = processes.of(hosts.get(1));
    IpcProcess c = processes.of(hosts.get(2));
    GroupId group = done(owner.create("secret"));
    assertThat(status(b.join(group, "guess"))).isEqualTo(Status.WRONG_PASSWORD);
    assertThat(status(b.join(group))).isEqualTo(Status.WRONG_PASSWORD);
    assertThat(done(b.join(group, "secret"))).isEqualTo(1);

    servers.end("n1");
    assertThat(done(c.join(group, "secret"))).isEqualTo(1);
    GroupId second = done(owner.create(""));
    assertThat(second.part()).as("nothing was forgotten").isEqualTo(group.part() + 1);
    for (IpcProcess member : List.of(b, c)) {
      member.receive(LONG).thenCompose(message -> ((Done<Message>) message).value().reply(bytes("yes")));
    }
    Answers answers = done(owner.ask(group, bytes("free?")).replies(2, LONG));
    assertThat(answers.count()).isEqualTo(2);
    assertThat(answers.replies()).hasSize(2);

    assertThat(status(c.leave(group, "guess"))).isEqualTo(Status.WRONG_PASSWORD);
    assertThat(done(c.leave(group, "secret"))).isZero();
    assertThat(done(c.join(group, "secret"))).isEqualTo(1);
    Communication open = done(owner.send(group, 0, bytes("free?"), 1));
    done(b.receive(LONG));
    CompletableFuture<Result<Message>> waits = b.receive(LONG);
    assertThat(status(owner.destroy(group, "guess"))).isEqualTo(Status.WRONG_PASSWORD);
    assertThat(done(c.destroy(group, "secret"))).as("other hosts that have ended it").isBetween(0, 2);
    assertThat(status(waits)).as("a member that waits is told").isEqualTo(Status.GROUP_DOES_NOT_EXIST);
    assertThat(status(c.receive(Duration.ZERO))).isEqualTo(Status.GROUP_DOES_NOT_EXIST);
    assertThat(within(b.groups())).isEmpty();
    assertThat(status(open.reply(LONG))).isIn(Status.NO_COMM, Status.GROUP_DOES_NOT_EXIST);
    assertThat(status(owner.send(group, 0, bytes("free?"), 1))).isEqualTo(Status.GROUP_DOES_NOT_EXIST);
    assertThat(status(b.join(group, "secret"))).isEqualTo(Status.GROUP_DOES_NOT_EXIST);
    assertThat(status(b.destroy(group, "secret"))).isEqualTo(Status.GROUP_DOES_NOT_EXIST);
  }

  @Test
  void membersOfAGuardedGroupHearThoseThatKnowTheSendPassword() {
    IpcProcess member = processes.of(hosts.get(0));
    GroupId group = done(member.create("secret", "send"));
    done(member.join(group, "secret"));
    IpcProcess sender = processes.of(hosts.get(1));
    assertThat(status(sender.send(group, 0, bytes("x"), 0))).isEqualTo(Status.WRONG_PASSWORD);
    assertThat(status(sender.authorize(group, "secret"))).isEqualTo(Status.WRONG_PASSWORD);
    done(sender.authorize(group, "send"));
    assertThat(done(sender.send(group, 0, bytes("x"), 0)).count()).isEqualTo(1);
    assertThat(done(member.receive(LONG)).payload()).isEqualTo(bytes("x"));
    assertThatThrownBy(() -> sender.authorize(group, "x".repeat(65))).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sender.join(group, "x".repeat(65))).isInstanceOf(IllegalArgumentException.class);
  }

  /// Hosts that have joined, and those that have sent lately, need no server; others say that there is none.
  @Test
  void whatIsKnownIsUsedWhenAllServersHaveEnded() {
    IpcProcess member = processes.of(hosts.get(0));
    GroupId group = done(member.create(""));
    done(member.join(group));
    IpcProcess sender = processes.of(hosts.get(1));
    assertThat(done(sender.send(group, 0, bytes("1"), 0)).count()).isEqualTo(1);
    servers.endAll();
    assertThat(done(sender.send(group, 0, bytes("2"), 0)).count()).isEqualTo(1);
    try (Ipc alone = Ipc.open("d", TransportProvider.named("tcp").open(settings()), List.of())) {
      IpcProcess stranger = processes.of(alone);
      assertThat(status(stranger.create(""))).isEqualTo(Status.NO_SERVER);
      assertThat(status(stranger.join(group))).isEqualTo(Status.NO_SERVER);
      assertThat(status(stranger.destroy(group, ""))).isEqualTo(Status.NO_SERVER);
      assertThat(status(stranger.authorize(group, "x"))).isEqualTo(Status.NO_SERVER);
      assertThat(status(stranger.send(group, 0, bytes("x"), 0))).isEqualTo(Status.NO_SERVER);
    }
  }

  private static TransportSettings settings() {
    return TransportSettings.at(new Address("127.0.0.1:0"));
  }
}
