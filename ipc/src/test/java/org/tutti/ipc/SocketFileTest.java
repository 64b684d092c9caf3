package org.tutti.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The file on which a host listens, and what else may be there.
@Tag("socket")
class SocketFileTest {
  @TempDir private Path directory;

  private Path path() {
    return directory.resolve("s.sock");
  }

  /// But the one that is only locked.
  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> !file.toString().endsWith(".lock")).toList();
    }
  }

  @Test
  void onlyTheOwnerMayConnect() throws IOException {
    try (SocketFile file = SocketFile.listen(path())) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path()))).isEqualTo("rw-------");
      assertThat(files()).containsExactly(path());
      SocketFile.connect(path()).close();
      assertThat(file.path()).isEqualTo(path());
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aLiveHostKeepsItsFile() throws IOException {
    SocketFile first = SocketFile.listen(path());
    refused(() -> SocketFile.listen(path()), "another host listens at " + path());
    assertThat(files()).containsExactly(path());
    Files.delete(path());
    try (SocketFile _ = SocketFile.listen(path())) {
      first.close();
      assertThat(path()).as("it is another one by now").exists();
      first.close();
      assertThat(path()).exists();
    }
  }

  @Test
  void theFileOfADeadHostIsReplaced() throws IOException {
    dead();
    refused(() -> SocketFile.connect(path()), "no host listens at " + path() + ": it has ended");
    try (SocketFile _ = SocketFile.listen(path())) {
      SocketFile.connect(path()).close();
      assertThat(files()).containsExactly(path());
    }
  }

  private void dead() throws IOException {
    try (var dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(path()));
    }
  }

  @Test
  void ofHostsThatBeginAtATimeOneListens() throws Exception {
    int hosts = 8;
    for (int round = 0; round < 50; round++) {
      dead();
      var barrier = new CyclicBarrier(hosts);
      List<SocketFile> listening = new ArrayList<>();
      try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<SocketFile>> all = new ArrayList<>();
        for (int i = 0; i < hosts; i++) {
          all.add(
              threads.submit(() -> {
                barrier.await();
                return SocketFile.listen(path());
              }));
        }
        for (Future<SocketFile> each : all) {
          try {
            listening.add(each.get());
          } catch (ExecutionException e) {
            assertThat(e).hasRootCauseInstanceOf(IOException.class);
          }
        }
      }
      assertThat(listening).hasSize(1);
      SocketFile.connect(path()).close();
      listening.getFirst().close();
      assertThat(files()).isEmpty();
    }
  }

  @Test
  void whatIsNoSocketStays() throws IOException {
    Files.writeString(path(), "precious");
    for (Callable<?> each : both(path())) {
      refused(each, "this is no socket: " + path());
    }
    assertThat(path()).hasContent("precious");
    assertThat(files()).containsExactly(path());
    Path link = directory.resolve("link");
    Files.createSymbolicLink(link, directory.resolve("nowhere"));
    refused(() -> SocketFile.listen(link), "this is no socket: " + link);
    refused(() -> SocketFile.listen(directory.resolve("..")), "this is no socket: " + directory.resolve(".."));
  }

  @Test
  void pathsThatCannotBeAreSaid() {
    Path nowhere = directory.resolve("nowhere").resolve("s");
    refused(() -> SocketFile.connect(path()), "no host listens at " + path() + ": there is no such file");
    refused(() -> SocketFile.listen(nowhere), "there is no directory " + nowhere.getParent());
    Path lengthy = Path.of("/tmp/" + "x".repeat(99));
    for (Callable<?> each : both(lengthy)) {
      refused(each, "the path of a socket has 103 bytes at most, not 104: " + lengthy);
    }
    Path deep = Path.of("/tmp/" + "x".repeat(96) + "/s");
    refused(() -> SocketFile.listen(deep), "the path of the directory of a socket has 91 bytes at most: " + deep);
  }

  private static List<Callable<?>> both(Path path) {
    return List.of(() -> SocketFile.listen(path), () -> SocketFile.connect(path));
  }

  private static void refused(Callable<?> call, String message) {
    assertThatThrownBy(call::call).isInstanceOf(IOException.class).hasMessage(message);
  }
}
