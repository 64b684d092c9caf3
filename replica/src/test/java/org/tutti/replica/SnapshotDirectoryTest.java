package org.tutti.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.replica.protocol.SnapshotStore;

class SnapshotDirectoryTest {
  @TempDir Path directory;

  @Test
  void snapshotsAreFilesForTheirOwnersEyes() throws IOException {
    Path data = directory.resolve("a/b");
    try (SnapshotDirectory disk = SnapshotDirectory.open(data)) {
      var store = new SnapshotStore(disk, "bank");
      for (long position = 1; position < 4; position++) {
        store.write(position, out -> out.write(new byte[200_000]));
      }
    }
    try (SnapshotDirectory disk = SnapshotDirectory.open(data)) {
      var store = new SnapshotStore(disk, "bank");
      SnapshotStore.Intact newest = store.newest().orElseThrow();
      assertThat(newest.position()).isEqualTo(3);
      try (InputStream in = store.open(newest)) {
        assertThat(in.readAllBytes()).hasSize(200_000);
      }
      assertThat(disk.names())
          .containsExactlyInAnyOrder("lock", "0000000000000000002.snapshot", "0000000000000000003.snapshot");
    }
    assertThat(permissions(data)).isEqualTo("rwx------");
    assertThat(permissions(data.resolve("0000000000000000003.snapshot"))).isEqualTo("rw-------");
  }

  private static String permissions(Path of) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(of));
  }

  @Test
  void aDirectoryThatIsInUseIsRefused() throws IOException {
    try (SnapshotDirectory _ = SnapshotDirectory.open(directory)) {
      assertThatThrownBy(() -> SnapshotDirectory.open(directory))
          .isInstanceOf(IOException.class)
          .hasMessage("the snapshots in " + directory + " are in use by another replica");
    }
    SnapshotDirectory.open(directory).close();
  }

  @Test
  void whoWritesWhenTheReplicaIsClosedChangesNothing() throws IOException {
    SnapshotDirectory disk = SnapshotDirectory.open(directory);
    OutputStream draft = disk.write("next.draft");
    disk.close();
    assertThatThrownBy(() -> draft.write(new byte[10])).hasMessage("the replica was closed");
    assertThatThrownBy(() -> disk.rename("next.draft", "0000000000000000001.snapshot")).isInstanceOf(IOException.class);
    assertThat(directory.resolve("next.draft")).isEmptyFile();
    draft.close();
  }
}
