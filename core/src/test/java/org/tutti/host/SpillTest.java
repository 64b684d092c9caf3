package org.tutti.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.fixture.ManualMembership.batch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.host.QueuedEvent.Delivered;
import org.tutti.host.QueuedEvent.Place;
import org.tutti.pack.Batch;
import org.tutti.storage.StorageException;

/// What is spilled is read back as it was written, or not at all.
class SpillTest {
  private static final int MAX = 1 << 20;

  @TempDir Path temporary;

  private final SpillFiles files = new SpillFiles();
  private final Spill spill = new Spill(files, MAX);

  private static Delivered delivered(long seq, int bytes) {
    byte[] message = new byte[bytes];
    new SplittableRandom(seq).nextBytes(message);
    return new Delivered(Place.IN_HISTORY, batch(seq, message, new byte[0]), 2 * seq);
  }

  private boolean write(Spill into, Delivered... all) throws IOException {
    Spill.Draft draft = into.draft();
    for (Delivered each : all) {
      if (!draft.add(each)) {
        return false;
      }
    }
    into.write(draft);
    return true;
  }

  private static void assertSame(Delivered read, Delivered written) {
    assertThat(read.place()).isEqualTo(written.place());
    assertThat(read.position()).isEqualTo(written.position());
    assertThat(read.counted()).isTrue();
    assertThat(read.batch()).isEqualTo(written.batch());
  }

  @Test
  void whatWasWrittenFirstIsReadFirst() throws Exception {
    List<Delivered> written =
        List.of(
            delivered(0, 10),
            new Delivered(Place.IN_BRANCH, batch(Batch.Kind.FIFO, 1, new byte[] {1}), -1),
            new Delivered(Place.NONE, batch(Batch.Kind.UNORDERED, 2, new byte[100_000]), -1),
            delivered(3, 200_000));
    write(spill, written.get(0), written.get(1));
    write(spill, written.get(2));
    assertThat(spill.messages()).isEqualTo(4);
    assertSame(spill.read(), written.get(0));
    write(spill, written.get(3));
    assertSame(spill.read(), written.get(1));
    assertSame(spill.read(), written.get(2));
    assertSame(spill.read(), written.get(3));
    assertThat(spill.isEmpty()).isTrue();
    assertThat(spill.messages()).isZero();
    assertThat(spill.bytes()).isZero();
    assertThat(files.open()).isEmpty();
  }

  @Test
  void roomIsFreedSegmentBySegmentAndTheBoundHolds() throws Exception {
    long written = 0;
    long read = 0;
    for (int round = 0; round < 300; round++) {
      while (write(spill, delivered(written, 9000))) {
        written++;
        assertThat(files.length()).isEqualTo(spill.bytes()).isLessThanOrEqualTo(MAX);
      }
      assertThat(spill.bytes()).isGreaterThan(MAX * 9L / 10);
      for (int i = 0; i < 9; i++) { // a segment holds eight of them
        assertSame(spill.read(), delivered(read, 9000));
        read++;
      }
      assertThat(files.open()).hasSizeLessThanOrEqualTo(17);
    }
    assertThat(written - read).isEqualTo(spill.messages() / 2).isPositive();
  }

  @Test
  void aFullDiskLeavesWhatWasWrittenBefore() throws Exception {
    write(spill, delivered(0, 1000), delivered(1, 1000));
    files.room = 500;
    assertThatThrownBy(() -> write(spill, delivered(2, 1000))).isInstanceOf(IOException.class);
    assertThat(spill.messages()).isEqualTo(4);
    assertSame(spill.read(), delivered(0, 1000));
    files.room = 5000;
    write(spill, delivered(3, 1000));
    assertSame(spill.read(), delivered(1, 1000));
    assertSame(spill.read(), delivered(3, 1000));
    files.room = 0;
    assertThatThrownBy(() -> write(spill, delivered(4, 1000))).hasMessage("No space left on device");
    assertThat(spill.isEmpty()).isTrue();
  }

  /// Whatever bit has changed, or is missing at the end, what is read is what was written, up to there.
  @Test
  void damageIsNoticed() throws Exception {
    var original = new SpillFiles();
    write(new Spill(original, MAX), delivered(0, 5), delivered(1, 5));
    int length = original.files.getFirst().bytes.length;
    for (int bit = 0; bit < 8 * length; bit++) {
      var damaged = new SpillFiles();
      var one = new Spill(damaged, MAX);
      write(one, delivered(0, 5), delivered(1, 5));
      damaged.files.getFirst().bytes[bit / 8] ^= (byte) (1 << bit % 8);
      if (bit / 8 >= length / 2) {
        assertSame(one.read(), delivered(0, 5));
      }
      assertThatThrownBy(one::read).as("bit " + bit).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aRecordOfAnotherPlaceIsNotTaken() throws Exception {
    write(spill, delivered(0, 5), delivered(1, 5));
    byte[] bytes = files.files.getFirst().bytes;
    System.arraycopy(bytes, bytes.length / 2, bytes, 0, bytes.length / 2);
    assertThatThrownBy(spill::read).hasMessage("record 1 is where 0 should be");
  }

  @Test
  void filesAreForTheirOwnerAndGoWithTheProcess() throws Exception {
    Path path = temporary.resolve("a/spill");
    SpillDirectory directory = SpillDirectory.open(path);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path))).isEqualTo("rwx------");
    var onDisk = new Spill(directory, MAX);
    for (int i = 0; i < 40; i++) {
      write(onDisk, delivered(i, 9000));
    }
    try (Stream<Path> left = Files.list(path)) {
      assertThat(left).as("they are open, and have no names any more").isEmpty();
    }
    Thread.currentThread().interrupt();
    for (int i = 0; i < 40; i++) {
      assertSame(onDisk.read(), delivered(i, 9000));
    }
    assertThat(Thread.interrupted()).as("an interrupt does not close them").isTrue();
  }

  @Test
  void onlyWhatACrashHasLeftIsDeleted() throws Exception {
    List<Path> others = new ArrayList<>();
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx------"));
    Path leftover = Files.createFile(temporary.resolve("tutti-spill-00112233aabbccdd-7"));
    for (String name : List.of("tutti-spill-", "tutti-spill-00112233aabbccdd-7.old", "other", "tutti.lock")) {
      others.add(Files.createFile(temporary.resolve(name)));
    }
    others.add(Files.createDirectory(temporary.resolve("tutti-spill-00112233aabbccdd-8")));
    others.add(Files.createSymbolicLink(temporary.resolve("tutti-spill-00112233aabbccdd-9"), others.getFirst()));
    SpillDirectory.open(temporary);
    assertThat(leftover).doesNotExist();
    assertThat(others).allMatch(Files::exists);
  }

  @Test
  void aDirectoryThatOthersMayUseIsRefused() throws Exception {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-x---"));
    assertThatThrownBy(() -> SpillDirectory.open(temporary))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("its permissions are rwxr-x---; chmod 700 " + temporary);
    Path file = Files.createFile(temporary.resolve("file"));
    assertThatThrownBy(() -> SpillDirectory.open(file))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot spill to " + file);
  }
}
