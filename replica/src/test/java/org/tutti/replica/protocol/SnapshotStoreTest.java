package org.tutti.replica.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnapshotStoreTest {
  private final MemoryDisk disk = new MemoryDisk();
  private final SnapshotStore store = new SnapshotStore(disk, "bank");

  private static String content(long position) {
    return "state of " + position + " ".repeat((int) position * 1000);
  }

  private static void write(SnapshotStore to, long position) throws IOException {
    byte[] content = content(position).getBytes(UTF_8);
    assertThat(to.write(position, out -> out.write(content))).isEqualTo(content.length);
  }

  private static void assertNewest(MemoryDisk where, long position) throws IOException {
    var found = new SnapshotStore(where, "bank");
    SnapshotStore.Intact newest = found.newest().orElseThrow();
    assertThat(newest.position()).isEqualTo(position);
    assertThat(newest.bytes()).isEqualTo(content(position).length());
    try (InputStream in = found.open(newest)) {
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(content(position));
    }
  }

  private List<String> snapshots() {
    return disk.names().stream().filter(name -> name.endsWith(".snapshot")).toList();
  }

  @Test
  void theNewestIsFoundAndTheOneBeforeItIsKept() throws IOException {
    assertThat(store.newest()).isEmpty();
    for (long position : List.of(3L, 20L, 100L)) {
      write(store, position);
      assertNewest(disk, position);
    }
    assertThat(snapshots()).containsExactly("0000000000000000020.snapshot", "0000000000000000100.snapshot");
  }

  @Test
  void anEmptyStateIsAStateToo() throws IOException {
    store.write(0, out -> {});
    SnapshotStore.Intact newest = store.newest().orElseThrow();
    assertThat(newest).isEqualTo(new SnapshotStore.Intact(0, 0, List.of()));
    assertThat(store.open(newest).read()).isEqualTo(-1);
  }

  @Test
  void aCrashBeforeAnyStepOfWritingLosesNothing() throws IOException {
    int crashes = 0;
    boolean finished = false;
    for (int steps = 0; !finished; steps++) {
      var dying = new MemoryDisk();
      var victim = new SnapshotStore(dying, "bank");
      write(victim, 3);
      write(victim, 20);
      dying.stepsLeft = steps;
      long newest = 20;
      try {
        write(victim, 100);
        finished = true;
        newest = 100;
      } catch (MemoryDisk.Crash _) {
        crashes++;
        newest = dying.files.containsKey("0000000000000000100.snapshot") ? 100 : 20;
      }
      boolean forced = dying.survivors.containsKey("0000000000000000100.snapshot");
      assertThat(finished && !forced).as("what was written survives a power failure").isFalse();
      assertNewest(dying.afterPowerFailure(false), forced ? 100 : 20);
      assertNewest(dying.afterPowerFailure(true), newest);
      dying.stepsLeft = Integer.MAX_VALUE;
      assertNewest(dying, newest);
      assertNewest(dying.afterPowerFailure(false), newest); // what was found once is not lost any more
      assertThat(dying.files).doesNotContainKey("next.draft");
      write(new SnapshotStore(dying, "bank"), 200);
      assertNewest(dying, 200);
    }
    assertThat(crashes).isGreaterThanOrEqualTo(6); // make, write, force, rename, force names, delete
  }

  @Test
  void whereverTheNewestIsDamagedTheOneBeforeItIsTaken() throws IOException {
    write(store, 1);
    write(store, 2);
    byte[] whole = disk.files.get("0000000000000000002.snapshot");
    for (int at = 0; at < whole.length; at++) {
      byte[] other = whole.clone();
      other[at] ^= 4;
      assertDamaged(other, "byte " + at);
    }
    for (int length = 0; length < whole.length; length++) {
      assertDamaged(Arrays.copyOf(whole, length), "length " + length);
    }
    assertDamaged(Arrays.copyOf(whole, whole.length + 1), "longer");
  }

  private void assertDamaged(byte[] newest, String how) throws IOException {
    disk.files.put("0000000000000000002.snapshot", newest);
    SnapshotStore.Intact found = store.newest().orElseThrow();
    assertThat(found.position()).as(how).isEqualTo(1);
    assertThat(found.damaged()).hasSize(1).first().asString().startsWith("0000000000000000002.snapshot: ");
    assertThat(snapshots()).as("it is set aside").hasSize(1);
    assertThat(disk.files.get("newest.damaged")).isEqualTo(newest);
  }

  @Test
  void whenNoneIsIntactItSaysSoAndDeletesNothing() throws IOException {
    write(store, 1);
    write(store, 2);
    disk.files.replaceAll((_, bytes) -> Arrays.copyOf(bytes, bytes.length - 1));
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(store::newest)
          .isInstanceOf(SnapshotStore.DamagedException.class)
          .hasMessageContaining("no snapshot in memory is intact")
          .hasMessageContaining("0000000000000000001.snapshot: it ends too early");
    }
    assertThat(snapshots()).hasSize(2);
  }

  @Test
  void snapshotsOfAnotherServiceAreRefused() throws IOException {
    write(store, 1);
    var other = new SnapshotStore(disk, "shop");
    assertThatThrownBy(other::newest).hasMessageContaining("it is of service \"bank\", not of \"shop\"");
  }

  @Test
  void aPictureThatFailsLeavesWhatWasThere() throws IOException {
    write(store, 1);
    assertThatThrownBy(() ->
            store.write(
                2,
                out -> {
                  out.write(1);
                  throw new IOException("no room");
                }))
        .hasMessage("no room");
    assertNewest(disk, 1);
    write(store, 3);
    assertNewest(disk, 3);
  }

  @Test
  void filesOfOtherNamesAreLeftAlone() throws IOException {
    disk.files.put("lock", new byte[0]);
    disk.files.put("notes.snapshot", new byte[0]);
    write(store, 1);
    assertNewest(disk, 1);
    assertThat(disk.names()).contains("lock", "notes.snapshot");
  }
}
