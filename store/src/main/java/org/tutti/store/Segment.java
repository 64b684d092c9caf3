package org.tutti.store;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.tutti.storage.OwnerOnly;

/// One file of the log: a heading, then frames ([Draft]), then zeros. The file grows ahead of the frames, because a
/// force that has to note a new length of the file takes about five times as long.
final class Segment {
  static final int HEADING = 40;
  private static final long MAGIC = 0x5475_7474_694c_6f67L; // "TuttiLog"
  private static final Pattern NAME = Pattern.compile("[0-9]{16}\\.log");
  private static final long VERSION = 1;
  private static final int AHEAD = 1 << 20;
  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(AHEAD).asReadOnlyBuffer();

  final long number;
  final Path file;
  private final FileChannel channel;
  private long end; // behind the last frame
  private long allocated; // what is here of the file is written, if only with zeros
  long live; // bytes of entries that are needed, and at least 1 for each

  private Segment(long number, Path file, FileChannel channel, long end, long allocated) {
    this.number = number;
    this.file = file;
    this.channel = channel;
    this.end = end;
    this.allocated = allocated;
  }

  static String name(long number) {
    return "%016d.log".formatted(number);
  }

  static boolean isName(Path file) {
    return NAME.matcher(file.getFileName().toString()).matches();
  }

  /// Makes a segment with its first frame. Until both are forced it has another name: what bears the name of a segment
  /// is one.
  static Segment create(Path directory, UUID storage, long number, ByteBuffer first) throws IOException {
    Path draft = directory.resolve("next.tmp");
    Files.deleteIfExists(draft);
    FileChannel channel = OwnerOnly.open(draft, Set.of(CREATE_NEW, READ, WRITE));
    var segment = new Segment(number, directory.resolve(name(number)), channel, HEADING, 0);
    segment.write(heading(storage, number), 0);
    segment.append(first);
    segment.force();
    Files.move(draft, segment.file, StandardCopyOption.ATOMIC_MOVE);
    forceDirectory(directory);
    return segment;
  }

  /// Opens a segment.
  ///
  /// @throws FileStorage.Damaged when this is no segment of this storage
  static Segment open(Path directory, UUID storage, long number) throws IOException {
    Path file = directory.resolve(name(number));
    FileChannel channel = OwnerOnly.open(file, Set.of(READ, WRITE));
    var segment = new Segment(number, file, channel, HEADING, channel.size());
    try {
      ByteBuffer found = segment.read(0, HEADING);
      if (found.getLong(0) == MAGIC && found.getLong(Long.BYTES) != VERSION) {
        throw new FileStorage.Damaged(
            file.getFileName() + FileStorage.otherVersion(found.getLong(Long.BYTES), VERSION));
      }
      if (!found.equals(heading(storage, number))) {
        throw new FileStorage.Damaged(file.getFileName() + " does not belong to this storage");
      }
      return segment;
    } catch (EOFException e) {
      channel.close();
      throw new FileStorage.Damaged(file.getFileName() + " has no beginning");
    } catch (FileStorage.Damaged e) {
      channel.close();
      throw e;
    }
  }

  private static ByteBuffer heading(UUID storage, long number) {
    return ByteBuffer.allocate(HEADING)
        .putLong(MAGIC)
        .putLong(VERSION)
        .putLong(storage.getMostSignificantBits())
        .putLong(storage.getLeastSignificantBits())
        .putLong(number)
        .flip();
  }

  long end() {
    return end;
  }

  /// Appends a frame, and zeros behind it when what was written ahead is used up.
  void append(ByteBuffer frame) throws IOException {
    int length = frame.remaining();
    write(frame, end);
    end += length;
    if (end > allocated) {
      allocated = (end / AHEAD + 1) * AHEAD;
      write(ZEROS.slice(0, (int) (allocated - end)), end);
    }
  }

  private void write(ByteBuffer bytes, long at) throws IOException {
    long to = at;
    while (bytes.hasRemaining()) {
      to += channel.write(bytes, to);
    }
  }

  void force() throws IOException {
    channel.force(false);
  }

  /// Reads bytes.
  ///
  /// @throws EOFException when the file ends before
  ByteBuffer read(long at, int length) throws IOException {
    var bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, at + bytes.position()) < 0) {
        throw new EOFException(file + " ends before " + (at + length));
      }
    }
    return bytes.flip();
  }

  /// Reads the frame behind the last one and counts it in.
  ///
  /// @param commit the number that it must have; 0: any
  /// @return the frame, or null when there is none that is whole
  @Nullable ByteBuffer next(long commit) throws IOException {
    if (end + Draft.HEADER > channel.size()) {
      return null;
    }
    ByteBuffer header = read(end, Draft.HEADER);
    int length = header.getInt(0);
    long found = header.getLong(Long.BYTES);
    boolean expected = commit == 0 ? found > 0 : found == commit;
    if (!expected || length < 0 || length > Draft.BODY_MAX || end + Draft.HEADER + length > channel.size()) {
      return null;
    }
    ByteBuffer frame = read(end, Draft.HEADER + length);
    if (frame.getInt(Integer.BYTES) != Draft.checksum(number, frame)) {
      return null;
    }
    end += frame.limit();
    return frame;
  }

  /// Cuts off what is behind the last frame, and forces what is left.
  void cut() throws IOException {
    channel.truncate(end);
    allocated = end;
    channel.force(true);
  }

  void delete() throws IOException {
    channel.close();
    Files.delete(file);
  }

  void close() throws IOException {
    channel.close();
  }

  static void forceDirectory(Path directory) throws IOException {
    try (FileChannel entries = FileChannel.open(directory, READ)) {
      entries.force(true);
    }
  }
}
