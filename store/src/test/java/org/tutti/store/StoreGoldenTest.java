package org.tutti.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.fixture.Golden;

/// The bytes of the files of stable storage.
class StoreGoldenTest {
  private static final UUID STORAGE = new UUID(1, 2);
  private static final long NUMBER = 3;
  private static final int BOOT_AT = 40;
  private static final int SUM_AT = 56;
  private static final String[] OPERATIONS = {"region", "record", "append", "move", "drop", "truncate", "range"};

  @TempDir Path directory;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /// A frame with each of the operations.
  private static ByteBuffer frame() {
    var draft = new Draft();
    draft.region(1, "bank");
    draft.range(1, 7, 8);
    draft.record(1, "views", bytes("v"));
    draft.entry(Draft.APPEND, 1, 8, Draft.checksum(bytes("eight")), bytes("eight"));
    draft.entry(Draft.MOVE, 1, 7, Draft.checksum(bytes("seven")), bytes("seven"));
    draft.limit(Draft.DROP, 1, 8);
    draft.limit(Draft.TRUNCATE, 1, 9);
    ByteBuffer frame = draft.frame(NUMBER, 300);
    byte[] copy = new byte[frame.remaining()];
    frame.get(copy);
    return ByteBuffer.wrap(copy);
  }

  private byte[] segment() throws IOException {
    Segment segment = Segment.create(directory, STORAGE, NUMBER, frame());
    segment.cut();
    segment.close();
    Path file = directory.resolve(Segment.name(NUMBER));
    byte[] bytes = Files.readAllBytes(file);
    Files.delete(file);
    return bytes;
  }

  private record Read(long commit, List<String> operations) {}

  /// Opens a segment with these bytes, and reads its only frame as `Draft` says.
  private Read read(byte[] bytes) throws IOException {
    Path file = directory.resolve(Segment.name(NUMBER));
    Files.write(file, bytes);
    Segment segment = Segment.open(directory, STORAGE, NUMBER);
    ByteBuffer in = segment.next(0);
    assertThat(segment.next(0)).isNull();
    segment.close();
    Files.delete(file);
    List<String> operations = new ArrayList<>();
    long commit = in.getLong(Long.BYTES);
    in.position(Draft.HEADER);
    while (in.hasRemaining()) {
      int operation = in.get();
      String said = OPERATIONS[operation - 1] + " of " + in.getInt() + ":";
      operations.add(
          said
              + switch (operation) {
                case Draft.REGION -> " " + text(in);
                case Draft.RECORD -> " " + text(in) + " = " + text(in);
                case Draft.APPEND, Draft.MOVE -> " at " + in.getLong() + " sum " + in.getInt() + " " + text(in);
                case Draft.RANGE -> " " + in.getLong() + " to " + in.getLong();
                default -> " " + in.getLong();
              });
    }
    return new Read(commit, operations);
  }

  private static String text(ByteBuffer in) {
    byte[] text = new byte[in.getInt()];
    in.get(text);
    return new String(text, StandardCharsets.UTF_8);
  }

  @Test
  void segments() throws IOException {
    new Golden("store", "segment", "a file of the log, cut behind its first frame: `Segment`, `Draft`")
        .written("each operation", segment(), this::read)
        .covers(OPERATIONS)
        .check();
  }

  private record Said(UUID storage, long written, long forced) {}

  /// Without the boot of the machine, which is another one each time.
  private static byte[] unbooted(ByteBuffer mark) {
    mark.putLong(BOOT_AT, 0).putLong(BOOT_AT + Long.BYTES, 0);
    var crc = new CRC32C();
    crc.update(mark.slice(0, SUM_AT));
    return mark.putInt(SUM_AT, (int) crc.getValue()).array();
  }

  private byte[] mark(long written, long forced) throws IOException {
    ByteBuffer begun = ByteBuffer.allocate(SUM_AT + Integer.BYTES).put(bytes("Tuttimk\u0001"));
    begun.putLong(STORAGE.getMostSignificantBits()).putLong(STORAGE.getLeastSignificantBits());
    Files.write(directory.resolve("mark"), unbooted(begun));
    Mark mark = Mark.open(directory);
    mark.write(written, forced);
    mark.close();
    return unbooted(ByteBuffer.wrap(Files.readAllBytes(directory.resolve("mark"))));
  }

  private Said said(byte[] bytes) throws IOException {
    Files.write(directory.resolve("mark"), bytes);
    Mark mark = Mark.open(directory);
    mark.close();
    return new Said(mark.storage, mark.written, mark.forced);
  }

  @Test
  void marks() throws IOException {
    new Golden("store", "mark", "the file `mark` of a storage, with zeros for the boot of the machine: `Mark`")
        .written("a new storage", mark(0, 0), this::said)
        .written("two commits later", mark(2, 1), this::said)
        .check();
  }

  private static void isRefused(ThrowingCallable opening, int version, String why) {
    assertThatThrownBy(opening)
        .isInstanceOf(FileStorage.Damaged.class)
        .hasMessageContaining("is of version " + version + ", this node reads version 1: " + why);
  }

  @Test
  void anotherVersionIsRefusedWithBothVersions() throws IOException {
    byte[] segment = segment();
    byte[] mark = mark(2, 1);
    for (int version : new int[] {0, 2}) {
      String why = version > 1 ? "a newer Tutti has written it" : "an older Tutti has written it";
      segment[15] = (byte) version;
      mark[7] = (byte) version;
      isRefused(() -> read(segment), version, why);
      isRefused(() -> said(mark), version, why);
    }
  }
}
