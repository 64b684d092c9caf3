package org.tutti.ipc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.MemberId;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.protocol.IpcMessage;
import org.tutti.ipc.protocol.IpcProtocol;
import org.tutti.ipc.protocol.IpcProtocol.Received;
import org.tutti.ipc.protocol.IpcProtocol.Sent;
import org.tutti.ipc.protocol.IssuedGroups;
import org.tutti.ipc.protocol.MembershipMessage;
import org.tutti.ipc.protocol.PairMessage;
import org.tutti.ipc.protocol.PairProtocol;
import org.tutti.ipc.protocol.Selection;
import org.tutti.transport.Address;
import org.tutti.transport.memory.InProcess;

/// Each status, by the shortest way to it, on one host alone; and the page that lists them, with those of the source's
/// table 3.1 that Tutti does not have.
class IpcStatusTest {
  private static final List<String> TABLE_3_1 =
      List.of(
          "NO_COMM",
          "ADDR_ERROR",
          "HARDWARE_FAIL",
          "TIMED_OUT",
          "NO_MEMBERS",
          "CM_ERROR",
          "HOST_DEAD",
          "PROC_DEAD",
          "NO_BUFF",
          "CM_DEADLOCK",
          "CM_MISMATCH");
  private static final Pattern ROW = Pattern.compile("^\\| `([A-Z_]+)` \\| (.+) \\|$", Pattern.MULTILINE);
  private static final GroupId GROUP = GroupId.wellKnown(3);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final MemberId SELF = new MemberId("self", new Address("self"), 1);
  private static final Selection ANY = new Selection(null, null);

  private final IpcProtocol.Port port =
      new IpcProtocol.Port() {
        @Override
        public long now() {
          return now;
        }

        @Override
        public Set<MemberId> hosts() {
          return Set.of();
        }

        @Override
        public void send(Collection<MemberId> to, IpcMessage message) {
          assertThat(to).as("there is no other host").isEmpty();
        }

        @Override
        public void send(MemberId to, PairMessage message) {
          throw new AssertionError("there is no other host");
        }

        @Override
        public void send(Collection<MemberId> to, MembershipMessage message) {
          assertThat(to).as("there is no other host").isEmpty();
        }
      };
  private final IpcProtocol protocol =
      new IpcProtocol(SELF, new IpcProtocol.Times(100, 50), PairProtocol.Settings.DEFAULT, port);
  private final IssuedGroups groups = new IssuedGroups(SELF, new IssuedGroups.Times(100, 10, 50), port, protocol);
  private @Nullable Result<?> result;
  private long now;

  @ParameterizedTest
  @EnumSource
  void aCallIsAbortedWith(Status status) {
    int member = protocol.open();
    protocol.join(member, GROUP);
    int sender = protocol.open();
    switch (status) {
      case NO_COMM -> {
        long session = send(sender);
        protocol.totreply(sender, GROUP, session, 0);
        protocol.receive(member, ANY, 0, this::told);
      }
      case TIMED_OUT -> protocol.receive(member, ANY, 0, this::told);
      case NO_MEMBERS -> protocol.send(sender, GroupId.wellKnown(4), 0, NOTHING, 0, this::told);
      case CM_ERROR -> {
        protocol.receive(member, ANY, 1, _ -> {});
        protocol.receive(member, ANY, 1, this::told);
      }
      case NO_BUFF -> {
        for (int i = 0; i < IpcProtocol.QUEUE_MAX; i++) {
          send(protocol.open());
        }
        protocol.send(sender, GROUP, 0, NOTHING, 0, this::told);
      }
      case CM_MISMATCH -> {
        send(sender);
        protocol.receive(member, ANY, 0, this::told);
        long message = ((Done<?>) result).value() instanceof Received received ? received.id() : 0;
        protocol.reply(member, message, NOTHING, _ -> {});
        protocol.reply(member, message, NOTHING, this::told);
      }
      case HOST_DEAD -> {
        var elsewhere = new ProcessId(new MemberId("other", new Address("other"), 2), 1);
        protocol.pairs().send(sender, elsewhere, 0, NOTHING, 1, this::told);
      }
      case PROC_DEAD -> {
        protocol.end(member);
        protocol.pairs().send(sender, new ProcessId(SELF, member), 0, NOTHING, 1, this::told);
      }
      case CM_DEADLOCK -> {
        protocol.pairs().request(sender, new ProcessId(SELF, member), 0, NOTHING, 1000, this::told);
        protocol.pairs().request(member, new ProcessId(SELF, sender), 0, NOTHING, 1000, this::told);
        for (; result == null; now = protocol.deadline()) {
          protocol.tick();
        }
      }
      case NOT_MEMBER -> result = protocol.leave(sender, GROUP);
      case GROUP_DOES_NOT_EXIST -> {
        groups.ask(new OneGroup());
        groups.join(member, GroupId.issued(2), "right", this::told);
      }
      case WRONG_PASSWORD -> {
        groups.ask(new OneGroup());
        groups.join(member, OneGroup.ID, "wrong", this::told);
      }
      case NO_SERVER -> groups.send(sender, OneGroup.ID, 0, NOTHING, 0, this::told);
      case HARDWARE_FAIL -> result = ofAFailedHost();
    }
    assertThat(result).isEqualTo(new Aborted<>(status));
    protocol.check();
  }

  @Test
  void thePageListsEachStatusAndThoseOfTheSourceThatAreMissing() throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    ROW.matcher(Files.readString(Path.of("../docs/ipc.md")))
        .results()
        .forEach(row -> assertThat(rows.put(row.group(1), row.group(2))).as(row.group()).isNull());
    List<String> here = Stream.of(Status.values()).map(Status::name).toList();
    assertThat(rows.keySet()).containsAll(here).containsAll(TABLE_3_1);
    rows.forEach(
        (name, row) -> assertThat(row.startsWith("not here: ")).as(name + ": " + row).isEqualTo(!here.contains(name)));
  }

  private static Result<?> ofAFailedHost() {
    var transport = new FailingTransport(new InProcess().open(SELF.address()));
    try (Ipc ipc = Ipc.open("self", transport, List.of())) {
      IpcProcess process = ipc.process();
      transport.fail();
      return process.receive(Duration.ofMinutes(1)).join();
    }
  }

  /// A server that has one group.
  private record OneGroup() implements IssuedGroups.Directory {
    private static final GroupId ID = GroupId.issued(1);

    @Override
    public void look(GroupId group, Consumer<Result<IssuedGroup>> answer) {
      check(group, "right", answer);
    }

    @Override
    public void check(GroupId group, String password, Consumer<Result<IssuedGroup>> answer) {
      if (!group.equals(ID)) {
        answer.accept(new Aborted<>(Status.GROUP_DOES_NOT_EXIST));
      } else if (!password.equals("right")) {
        answer.accept(new Aborted<>(Status.WRONG_PASSWORD));
      } else {
        answer.accept(new Done<>(new IssuedGroup(ID, NOTHING, false, null)));
      }
    }

    @Override
    public void destroy(GroupId group, String password, Consumer<Result<GroupId>> answer) {
      throw new AssertionError("nobody destroys it");
    }
  }

  private long send(int number) {
    protocol.send(number, GROUP, 0, NOTHING, 0, this::told);
    return result instanceof Done<?>(Sent sent) ? sent.session() : 0;
  }

  private void told(Result<?> what) {
    result = what;
  }
}
