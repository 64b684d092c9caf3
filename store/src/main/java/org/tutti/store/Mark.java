package org.tutti.store;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.tutti.storage.OwnerOnly;

/// The file that tells a torn end from a damaged one: which commit was written last, which was forced last, and during
/// which boot of the machine. It is written after each commit and never forced, so that it costs little; what it says
/// was true when it was written.
///
/// The log alone cannot tell: a log that ends early looks like one that was not written further. With the mark, as long
/// as the machine has not been started anew since, every commit that it names has to be there; and what was forced has
/// to be there in any case.
final class Mark {
  private static final String NAME = "mark";
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final int BYTES = 5 * Long.BYTES + 2 * Long.BYTES + Integer.BYTES;
  private static final long MAGIC = 0x5475_7474_696d_6bL; // "Tuttimk", and then the version in a byte
  private static final int VERSION = 1;
  private static final long FIRST = MAGIC << Byte.SIZE | VERSION;

  final UUID storage;
  final long written; // as found
  final long forced; // as found
  private final UUID foundBoot;
  private final UUID boot;
  private final FileChannel channel;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);

  private Mark(UUID storage, long written, long forced, UUID foundBoot, FileChannel channel) {
    this.storage = storage;
    this.written = written;
    this.forced = forced;
    this.foundBoot = foundBoot;
    this.boot = boot();
    this.channel = channel;
  }

  /// Which boot of the machine this is; all zeros where the system does not say.
  private static UUID boot() {
    try {
      return UUID.fromString(Files.readString(BOOT).strip());
    } catch (IOException | IllegalArgumentException e) {
      return new UUID(0, 0);
    }
  }

  static boolean exists(Path directory) {
    return Files.exists(directory.resolve(NAME));
  }

  /// Makes the mark of a new storage, and forces it: from now on there has to be one.
  static Mark create(Path directory) throws IOException {
    Path draft = directory.resolve("mark.tmp");
    Files.deleteIfExists(draft);
    FileChannel channel = OwnerOnly.open(draft, Set.of(CREATE_NEW, READ, WRITE));
    var mark = new Mark(UUID.randomUUID(), 0, 0, boot(), channel);
    mark.write(0, 0);
    channel.force(true);
    Files.move(draft, directory.resolve(NAME));
    Segment.forceDirectory(directory);
    return mark;
  }

  static Mark open(Path directory) throws IOException {
    FileChannel channel = OwnerOnly.open(directory.resolve(NAME), Set.of(READ, WRITE));
    ByteBuffer found = ByteBuffer.allocate(BYTES);
    while (found.hasRemaining() && channel.read(found, found.position()) >= 0) {
      // A file is read in one go as a rule.
    }
    found.flip();
    if (found.limit() >= Long.BYTES
        && found.getLong(0) >>> Byte.SIZE == MAGIC
        && (found.getLong(0) & 0xff) != VERSION) {
      channel.close();
      throw new FileStorage.Damaged("the file " + NAME + FileStorage.otherVersion(found.getLong(0) & 0xff, VERSION));
    }
    if (found.limit() < BYTES || found.getLong() != FIRST || found.getInt(BYTES - Integer.BYTES) != checksum(found)) {
      channel.close();
      throw new FileStorage.Damaged("the file " + NAME + " is damaged");
    }
    var storage = new UUID(found.getLong(), found.getLong());
    long written = found.getLong();
    long forced = found.getLong();
    return new Mark(storage, written, forced, new UUID(found.getLong(), found.getLong()), channel);
  }

  /// The commit that has to be there at least.
  long required() {
    boolean sameBoot = boot.equals(foundBoot) && !boot.equals(new UUID(0, 0));
    return sameBoot ? written : forced;
  }

  void write(long commitWritten, long commitForced) throws IOException {
    bytes
        .clear()
        .putLong(FIRST)
        .putLong(storage.getMostSignificantBits())
        .putLong(storage.getLeastSignificantBits())
        .putLong(commitWritten)
        .putLong(commitForced)
        .putLong(boot.getMostSignificantBits())
        .putLong(boot.getLeastSignificantBits());
    bytes.putInt(checksum(bytes)).flip();
    // One small write inside one page: neither the end of the process nor a power failure leaves half of it.
    if (channel.write(bytes, 0) != BYTES) {
      throw new IOException("the mark was written in part only");
    }
  }

  private static int checksum(ByteBuffer mark) {
    var crc = new CRC32C();
    crc.update(mark.slice(0, BYTES - Integer.BYTES));
    return (int) crc.getValue();
  }

  void close() throws IOException {
    channel.close();
  }
}
