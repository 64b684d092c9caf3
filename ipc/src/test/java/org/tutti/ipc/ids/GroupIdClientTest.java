package org.tutti.ipc.ids;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.IssuedGroup;
import org.tutti.ipc.Result;
import org.tutti.ipc.Result.Aborted;
import org.tutti.ipc.Result.Done;
import org.tutti.ipc.Status;

/// Three servers with directories on loopback, of which one ends while clients call, or all.
@Tag("socket")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupIdClientTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private Path directory;

  private static <T> T done(CompletableFuture<Result<T>> future) {
    return switch (future.orTimeout(60, TimeUnit.SECONDS).join()) {
      case Done(T value) -> value;
      case Aborted(Status status) -> throw new AssertionError(status);
    };
  }

  private static <T> Status status(CompletableFuture<Result<T>> future) {
    return switch (future.orTimeout(60, TimeUnit.SECONDS).join()) {
      case Done(T value) -> throw new AssertionError(value);
      case Aborted(Status status) -> status;
    };
  }

  @Test
  void nothingIsLostWhenAServerEndsOrAllDo() throws Exception {
    try (var servers = new IdServers(directory)) {
      GroupIdClient ids = servers.client(LONG);
      List<CompletableFuture<Result<GroupId>>> creations = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        if (i == 10) {
          servers.end("n1");
        }
        creations.add(ids.create("p" + i % 2, ""));
      }
      List<GroupId> created = creations.stream().map(GroupIdClientTest::done).toList();
      assertThat(created).allMatch(GroupId::isIssued);
      assertThat(new TreeSet<>(created.stream().map(GroupId::part).toList()))
          .as("each is another one, and a command that was sent again has created no second one")
          .hasSize(20)
          .last()
          .isEqualTo(19);
      assertThat(done(ids.destroy(created.get(0), "p0"))).isEqualTo(created.get(0));

      servers.endAll();
      servers.startAll();
      assertThat(status(ids.look(created.get(0)))).isEqualTo(Status.GROUP_DOES_NOT_EXIST);
      assertThat(done(ids.check(created.get(19), "p1")).id()).isEqualTo(created.get(19));
      assertThat(done(ids.create("", "")).part()).isEqualTo(20);
    }
  }

  @Test
  void passwordsAreCompared() throws Exception {
    try (var servers = new IdServers(directory)) {
      GroupIdClient ids = servers.client(LONG);
      GroupId id = done(ids.create("control", "send"));
      IssuedGroup looked = done(ids.look(id));
      assertThat(looked.guarded()).isTrue();
      assertThat(looked.sendKey()).isNull();
      IssuedGroup checked = done(ids.check(id, "control"));
      assertThat(checked.mark()).isEqualTo(looked.mark());
      byte[] code = done(ids.sendKey(id, "send")).code(looked.mark());
      assertThat(checked.sendKey()).isNotNull().matches(key -> key.made(looked.mark(), code));
      assertThat(status(ids.sendKey(id, "control"))).isEqualTo(Status.WRONG_PASSWORD);
      assertThat(status(ids.check(id, ""))).isEqualTo(Status.WRONG_PASSWORD);
      assertThat(status(ids.destroy(id, "send"))).isEqualTo(Status.WRONG_PASSWORD);
      assertThat(status(ids.check(GroupId.issued(7), "control"))).isEqualTo(Status.GROUP_DOES_NOT_EXIST);
      assertThat(status(ids.destroy(GroupId.named("x"), ""))).isEqualTo(Status.GROUP_DOES_NOT_EXIST);
      assertThatThrownBy(() -> ids.create("x".repeat(65), "")).isInstanceOf(IllegalArgumentException.class);
      GroupId open = done(ids.create("", ""));
      assertThat(done(ids.check(open, "")).guarded()).isFalse();
      assertThat(status(ids.sendKey(open, "send"))).isEqualTo(Status.WRONG_PASSWORD);

      servers.endAll();
      assertThat(status(servers.client(Duration.ofMillis(200)).look(id))).isEqualTo(Status.NO_SERVER);
    }
  }
}
