package org.tutti.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.storage.Region;
import org.tutti.storage.StableStorage;
import org.tutti.storage.StorageException;

class FileStorageTest extends StableStorageContract {
  private static final int SEGMENT_BYTES = 8192;

  @TempDir Path temporary;
  private int lives;

  private Path directory() {
    return temporary.resolve("life-" + lives);
  }

  @Override
  StableStorage open() {
    return FileStorage.open(directory(), SEGMENT_BYTES);
  }

  /// What the files hold at this moment is what a process that ends now leaves.
  @Override
  void endSuddenly(StableStorage open) {
    Path before = directory();
    lives++;
    copy(before, directory());
    open.close();
  }

  static void copy(Path from, Path to) {
    try (Stream<Path> files = Files.list(from)) {
      Files.createDirectory(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// A process of any umask; also where the operator has made the directory.
  @Test
  void itTellsHowMuchRoomThereIs(@TempDir Path directory) throws IOException {
    FileStorage storage = FileStorage.open(directory.resolve("data"));
    long free = Files.getFileStore(directory).getUsableSpace();
    assertThat(storage.metrics())
        .singleElement()
        .satisfies(metric -> assertThat(metric.value()).isBetween(free / 2, free * 2));
    storage.close();
    assertThat(storage.metrics()).as("after the end").hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void onlyItsOwnerMayReadIt(boolean madeBefore) throws IOException {
    Path at = temporary.resolve("above").resolve("storage");
    if (madeBefore) {
      Files.createDirectories(at);
      Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    try (var storage = FileStorage.open(at, SEGMENT_BYTES)) {
      assertThat(storage.region("any")).isNotNull();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(at))).isEqualTo("rwx------");
      try (Stream<Path> files = Files.list(at)) {
        assertThat(files.toList())
            .isNotEmpty()
            .allSatisfy(file ->
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rwxr-xr-x", "rwx-w----", "rwx-----x"})
  void aStorageThatOthersMayUseIsRefused(String permissions) throws IOException {
    open().close();
    Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString(permissions));
    assertThatThrownBy(this::open)
        .isInstanceOf(StorageException.class)
        .hasMessage(
            "other users may use stable storage %s: its permissions are %s; chmod 700 %s"
                .formatted(directory(), permissions, directory()));
    Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwx------"));
    open().close();
  }

  /// A process that commits without end until it is killed: commit n writes n to a record in each of two groups, and n
  /// entries' worth of a log.
  static final class Committer {
    static final int KEPT = 40;

    private Committer() {}

    /// Prints each commit that is done.
    public static void main(String[] args) {
      try (var storage = FileStorage.open(Path.of(args[0]), 64 << 10)) {
        Region left = storage.region("left");
        Region right = storage.region("right");
        for (long n = right.next(); ; n++) {
          left.record("n", entry(n));
          right.append(n, entry(n));
          if (n >= KEPT) {
            right.dropBefore(n - KEPT + 1);
          }
          storage.commit(args[1].equals("each") || n % 100 == 0);
          System.out.println(n);
        }
      }
    }

    /// The bytes that belong to a number.
    static byte[] entry(long n) {
      var random = new SplittableRandom(n);
      byte[] bytes = new byte[Long.BYTES + random.nextInt(3000)];
      random.nextBytes(bytes);
      ByteBuffer.wrap(bytes).putLong(n);
      return bytes;
    }
  }

  private static Process committer(Path directory, String policy) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Committer.class.getName(),
            directory.toString(),
            policy)
        .redirectErrorStream(true)
        .start();
  }

  @ParameterizedTest
  @ValueSource(strings = {"each", "views"})
  void whatAProcessCommittedSurvivesItsKilling(String policy) throws Exception {
    var random = new SplittableRandom(17);
    long before = 0;
    for (int life = 0; life < 5; life++) {
      Process process = committer(directory(), policy);
      long said = before;
      try (BufferedReader output = process.inputReader()) {
        long until = before + random.nextInt(1, 1500);
        for (String line = output.readLine(); line != null; line = output.readLine()) {
          said = Long.parseLong(line);
          if (said >= until) {
            process.toHandle().destroyForcibly(); // the handle, because Process would also cut off what it said before
          }
        }
      }
      process.waitFor();
      before = check(said);
    }
  }

  private long check(long said) {
    try (StableStorage storage = open()) {
      Region right = storage.region("right");
      long last = right.next() - 1;
      assertThat(last).isGreaterThanOrEqualTo(said);
      assertThat(storage.region("left").record("n")).isEqualTo(Committer.entry(last));
      assertThat(right.first()).isEqualTo(Math.max(0, last - Committer.KEPT + 1));
      for (long n = right.first(); n <= last; n++) {
        assertThat(right.read(n)).isEqualTo(Committer.entry(n));
      }
      return last;
    }
  }

  @Test
  void whoeverUsesTheDirectoryIsNamed() throws Exception {
    Process process = committer(directory(), "views");
    try (BufferedReader output = process.inputReader()) {
      assertThat(output.readLine()).isEqualTo("0");
      assertThatThrownBy(this::open)
          .isInstanceOf(StorageException.class)
          .hasMessage("stable storage " + directory() + " is in use by process " + process.pid());
    } finally {
      process.destroyForcibly().waitFor();
    }
    open().close();
  }

  @Test
  void whatIsDroppedIsFreed() throws IOException {
    byte[] entry = new byte[1000];
    try (StableStorage storage = open()) {
      storage.region("idle").append(0, entry);
      Region busy = storage.region("busy");
      for (int n = 0; n < 1500; n++) {
        busy.append(n, entry);
        busy.dropBefore(Math.max(0, n - 20));
        storage.commit(n % 50 == 0);
      }
      assertThat(storage.region("idle").read(0)).isEqualTo(entry);
    }
    try (Stream<Path> files = Files.list(directory())) {
      List<String> logs = files.map(Path::toString).filter(file -> file.endsWith(".log")).toList();
      assertThat(logs).hasSizeLessThanOrEqualTo(12); // of 1.5 MB in files of 8 KiB, 20 KB are needed
    }
  }

  @Test
  void aDirectoryOfSomethingElseIsRefused() throws IOException {
    Files.createDirectories(directory());
    Files.setPosixFilePermissions(directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(directory().resolve("diary.txt"), "dear diary");
    assertThatThrownBy(this::open)
        .isInstanceOf(StorageException.class)
        .hasMessage("directory " + directory() + " is no stable storage: it holds diary.txt, but no mark");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory())))
        .as("it is left as it is")
        .isEqualTo("rwxr-xr-x");
  }
}
