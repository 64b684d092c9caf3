package org.tutti.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.storage.Region;
import org.tutti.storage.StorageException;

/// Files that are not as they were left: what is opened is what some commit left that may be the last one, or nothing.
class DamageTest {
  private static final int COMMITS = 60;
  private static final int FORCED = 40; // the last forced one
  private static final int SEGMENT_BYTES = 20_000;
  private static final int BOOT_AT = 40;

  @TempDir Path temporary;
  private Path original;

  @BeforeEach
  void write() throws IOException {
    original = temporary.resolve("original");
    try (FileStorage storage = FileStorage.open(original, SEGMENT_BYTES)) {
      for (int n = 0; n < COMMITS; n++) {
        change(storage, n);
        storage.commit(n == FORCED);
      }
    }
    assertThat(logs(original)).hasSizeBetween(2, 4);
  }

  /// Commit n: the record says n, the log holds the last 20.
  private static void change(FileStorage storage, int n) {
    Region region = storage.region("group");
    region.record("n", entry(n));
    region.append(n, entry(n));
    region.dropBefore(Math.max(0, n - 19));
  }

  private static byte[] entry(int n) {
    return (n + ":" + "x".repeat(n * 37 % 800)).getBytes(StandardCharsets.UTF_8);
  }

  /// Which commit left this.
  private static int commit(FileStorage storage) {
    Region region = storage.region("group");
    byte[] record = region.record("n");
    if (record == null) {
      assertThat(region.next()).isZero();
      return -1;
    }
    int n = Integer.parseInt(new String(record, StandardCharsets.UTF_8).split(":")[0]);
    assertThat(region.first()).isEqualTo(Math.max(0, n - 19));
    assertThat(region.next()).isEqualTo(n + 1);
    for (int i = (int) region.first(); i <= n; i++) {
      assertThat(region.read(i)).isEqualTo(entry(i));
    }
    return n;
  }

  private static List<Path> logs(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(Segment::isName).sorted().toList();
    }
  }

  private Path copy() throws IOException {
    Path copy = Files.createTempDirectory(temporary, "copy-");
    try (Stream<Path> files = Files.list(original)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  /// Makes the machine be started anew since.
  private static void boot(Path directory) throws IOException {
    Path file = directory.resolve("mark");
    byte[] mark = Files.readAllBytes(file);
    mark[BOOT_AT]++;
    var crc = new CRC32C();
    crc.update(mark, 0, mark.length - Integer.BYTES);
    ByteBuffer.wrap(mark).putInt(mark.length - Integer.BYTES, (int) crc.getValue());
    Files.write(file, mark);
  }

  /// Whoever only looks says beforehand whether it opens, and leaves everything as it is.
  private static boolean opens(Path directory, Predicate<Integer> right) throws IOException {
    Map<Path, ByteBuffer> before = contents(directory);
    boolean whole;
    try {
      whole = FileStorage.examine(directory) == FileStorage.Found.STORAGE;
    } catch (StorageException refused) {
      whole = false;
    }
    assertThat(contents(directory)).isEqualTo(before);
    boolean opens = opensAsSaid(directory, right);
    assertThat(whole).as("what was said of " + directory).isEqualTo(opens);
    return opens;
  }

  private static Map<Path, ByteBuffer> contents(Path directory) throws IOException {
    var contents = new TreeMap<Path, ByteBuffer>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        contents.put(file, ByteBuffer.wrap(Files.readAllBytes(file)));
      }
    }
    return contents;
  }

  /// What is opened must pass; a refusal always does. The storage has to be usable then.
  private static boolean opensAsSaid(Path directory, Predicate<Integer> right) {
    try (FileStorage storage = FileStorage.open(directory, SEGMENT_BYTES)) {
      int found = commit(storage);
      assertThat(right).as("found commit " + found + " in " + directory).accepts(found);
      change(storage, found + 1);
      storage.commit(true);
    } catch (StorageException refused) {
      assertThat(refused).hasMessageContaining(directory.toString());
      return false;
    }
    try (FileStorage storage = FileStorage.open(directory, SEGMENT_BYTES)) {
      commit(storage);
    }
    return true;
  }

  /// Where the last frame of a file ends: the rest are zeros.
  private static int end(byte[] log) {
    return IntStream.iterate(log.length, at -> at > 0, at -> at - 1)
        .filter(at -> log[at - 1] != 0)
        .findFirst()
        .orElse(0);
  }

  @Test
  void whatIsWholeOpens() throws IOException {
    assertThat(opens(copy(), n -> n == COMMITS - 1)).isTrue();
    Path booted = copy();
    boot(booted);
    assertThat(opens(booted, n -> n == COMMITS - 1)).isTrue();
  }

  @Test
  void aShortenedLogIsTheLastCommitOrRefused() throws IOException {
    var random = new SplittableRandom(3);
    for (int round = 0; round < 60; round++) {
      Path copy = copy();
      List<Path> logs = logs(copy);
      Path log = logs.get(random.nextInt(logs.size()));
      byte[] bytes = Files.readAllBytes(log);
      int to = random.nextInt(end(bytes));
      Files.write(log, Arrays.copyOf(bytes, to));
      assertThat(opens(copy, n -> n == COMMITS - 1)).as(log + " cut at " + to).isFalse();
    }
  }

  @Test
  void afterAPowerFailureAnUnforcedEndMayBeTornButNothingBefore() throws IOException {
    var random = new SplittableRandom(4);
    int opened = 0;
    for (int round = 0; round < 80; round++) {
      Path copy = copy();
      boot(copy);
      Path log = logs(copy).getLast();
      byte[] bytes = Files.readAllBytes(log);
      int from = random.nextInt(end(bytes));
      if (random.nextBoolean()) {
        bytes = Arrays.copyOf(bytes, from);
      } else { // a page that did not reach the disk, though later ones did
        Arrays.fill(bytes, from, Math.min(bytes.length, from + 500), (byte) 0);
      }
      Files.write(log, bytes);
      opened += opens(copy, n -> n >= FORCED) ? 1 : 0;
    }
    assertThat(opened).isBetween(10, 79);
  }

  @Test
  void aChangedByteIsRefused() throws IOException {
    var random = new SplittableRandom(5);
    for (int round = 0; round < 60; round++) {
      Path copy = copy();
      var files = new ArrayList<>(logs(copy));
      files.add(copy.resolve("mark"));
      Path file = files.get(random.nextInt(files.size()));
      byte[] bytes = Files.readAllBytes(file);
      int at = random.nextInt(end(bytes));
      bytes[at] ^= (byte) (1 << random.nextInt(8));
      Files.write(file, bytes);
      assertThat(opens(copy, n -> n == COMMITS - 1)).as(file + " changed at " + at).isFalse();
    }
  }

  @Test
  void aByteThatChangesLaterIsRefusedWhenItIsRead() throws IOException {
    Path copy = copy();
    try (FileStorage storage = FileStorage.open(copy, SEGMENT_BYTES)) {
      Path log = logs(copy).get(logs(copy).size() - 2);
      byte[] bytes = Files.readAllBytes(log);
      Arrays.fill(bytes, (byte) 'y');
      try (var file = FileChannel.open(log, StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(bytes), 0);
      }
      assertThatThrownBy(() -> storage.region("group").read(COMMITS - 1))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("is damaged");
    }
  }

  @Test
  void aCommitThatWasCutShortIsDropped() throws IOException {
    Path after = copy();
    try (FileStorage storage = FileStorage.open(after, SEGMENT_BYTES)) {
      storage.commit(true);
    }
    Path before = temporary.resolve("before");
    original = after;
    Files.move(copy(), before);
    try (FileStorage storage = FileStorage.open(after, SEGMENT_BYTES)) {
      change(storage, COMMITS);
      storage.commit(false);
    }
    byte[] whole = Files.readAllBytes(logs(after).getLast());
    Path log = logs(after).getLast().getFileName();
    int begin = end(whole);
    original = after;
    byte[] mark = markBeforeLast(after);
    for (int length = begin; length > begin - entry(COMMITS).length * 2; length -= 61) {
      Path copy = copy();
      Files.write(copy.resolve("mark"), mark);
      byte[] torn = whole.clone();
      Arrays.fill(torn, length, torn.length, (byte) 0);
      Files.write(copy.resolve(log), torn);
      int expected = length == begin ? COMMITS : COMMITS - 1;
      assertThat(opens(copy, n -> n == expected)).isTrue();
    }
  }

  /// The mark as it was before the last commit: of the life that wrote it, one commit less.
  private static byte[] markBeforeLast(Path directory) throws IOException {
    byte[] mark = Files.readAllBytes(directory.resolve("mark"));
    ByteBuffer fields = ByteBuffer.wrap(mark);
    int writtenAt = 3 * Long.BYTES;
    fields.putLong(writtenAt, fields.getLong(writtenAt) - 1);
    var crc = new CRC32C();
    crc.update(mark, 0, mark.length - Integer.BYTES);
    fields.putInt(mark.length - Integer.BYTES, (int) crc.getValue());
    return mark;
  }

  @Test
  void missingEmptyAndForeignFilesAreRefused() throws IOException {
    for (Path file : logs(original)) {
      Path missing = copy();
      Files.delete(missing.resolve(file.getFileName()));
      assertThat(opens(missing, n -> false)).isFalse();
      Path empty = copy();
      Files.write(empty.resolve(file.getFileName()), new byte[0]);
      assertThat(opens(empty, n -> false)).isFalse();
      Path foreign = copy();
      Files.writeString(
          foreign.resolve(file.getFileName()), "This is not the file that you are looking for. ".repeat(9));
      assertThat(opens(foreign, n -> false)).isFalse();
    }
    Path mixed = copy();
    Path other = temporary.resolve("other");
    FileStorage.open(other, SEGMENT_BYTES).close();
    Files.copy(other.resolve("mark"), mixed.resolve("mark"), StandardCopyOption.REPLACE_EXISTING);
    assertThatThrownBy(() -> FileStorage.open(mixed)).hasMessageContaining("does not belong to this storage");
    Path unmarked = copy();
    Files.delete(unmarked.resolve("mark"));
    assertThatThrownBy(() -> FileStorage.open(unmarked)).hasMessageContaining("but no mark");
    Path bare = copy();
    for (Path file : logs(bare)) {
      Files.delete(file);
    }
    assertThatThrownBy(() -> FileStorage.open(bare)).hasMessageContaining("no log");
  }

  /// Frames whose checksums are right, and that no storage has written.
  @Test
  void commitsThatMakeNoSenseAreRefused() throws IOException {
    byte[] region = op(Draft.REGION, 1, 'g');
    byte[][] senseless = {
      op(Draft.RECORD, Integer.MAX_VALUE),
      op(Draft.RECORD, -1),
      join(region, op(Draft.RECORD, -1)),
      join(region, op(Draft.RECORD, Integer.MAX_VALUE)),
      join(region, op(Draft.APPEND, 0, 7, 0, -5)),
      join(region, op(Draft.APPEND, 0, 7, 0, Integer.MAX_VALUE)),
      join(region, op(Draft.TRUNCATE, -1, 0)),
      join(region, op(Draft.DROP, 0, 9)),
      join(region, op(Draft.MOVE, 0, 9, 0, 0)),
      join(region, op(Draft.RANGE, 0, 0, Integer.MAX_VALUE, 0)),
      join(region, op(Draft.RANGE, 0, 5, 0, 4)),
      op((byte) 99, 0)
    };
    for (byte[] body : senseless) {
      Path directory = temporary.resolve("senseless");
      FileStorage.open(directory).close();
      Path log = logs(directory).getFirst();
      ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(log)).position(Segment.HEADING);
      ByteBuffer frame = ByteBuffer.allocate(Draft.HEADER + body.length).putInt(0, body.length).putLong(8, 1);
      frame.put(Draft.HEADER, body);
      file.put(frame.putInt(4, Draft.checksum(1, frame)));
      Files.write(log, Arrays.copyOf(file.array(), file.position()));
      assertThatThrownBy(() -> FileStorage.open(directory))
          .as(Arrays.toString(body))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("is damaged");
      for (Path each : logs(directory)) {
        Files.delete(each);
      }
      Files.delete(directory.resolve("mark"));
    }
  }

  /// An operation on region 0: the rest of it in words of 32 bits, a character in one byte.
  private static byte[] op(byte kind, int... rest) {
    ByteBuffer out = ByteBuffer.allocate(64).put(kind).putInt(0);
    for (int each : rest) {
      if (each == 'g') {
        out.put((byte) each);
      } else {
        out.putInt(each);
      }
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  private static byte[] join(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }
}
