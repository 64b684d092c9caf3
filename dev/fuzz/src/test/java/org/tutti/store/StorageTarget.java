package org.tutti.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.tutti.fuzz.FuzzTarget;
import org.tutti.storage.StorageException;

/// The files of stable storage, as a disk gives them back. Commits of the log get the right checksums, or nearly
/// nothing of an input would be looked at.
public final class StorageTarget implements FuzzTarget {
  private static final String LOG = Segment.name(1);

  private final Path directory;
  private final byte[] mark;
  private final byte[] log;

  /// Makes a storage to damage.
  ///
  /// @throws IOException when that is not possible
  public StorageTarget() throws IOException {
    directory = Files.createTempDirectory("fuzz");
    FileStorage.open(directory).close();
    for (Path each : List.of(directory, directory.resolve("lock"), directory.resolve("mark"), directory.resolve(LOG))) {
      each.toFile().deleteOnExit(); // the directory last
    }
    mark = Files.readAllBytes(directory.resolve("mark"));
    log = Files.readAllBytes(directory.resolve(LOG));
  }

  @Override
  public Set<Class<? extends Exception>> refusals() {
    return Set.of(StorageException.class);
  }

  @Override
  public long allocationMax(int length) {
    return (1 << 20) + 512L * length; // files are opened and listed
  }

  @Override
  public void take(ByteBuffer input) throws IOException {
    boolean ofMark = FuzzTarget.choice(input, 8) == 0;
    byte[] found = FuzzTarget.array(input);
    Files.write(directory.resolve("mark"), ofMark ? found : mark);
    Files.write(directory.resolve(LOG), ofMark ? log : log(found));
    FileStorage.examine(directory);
  }

  /// A log with one commit behind another; before each body its length in two bytes.
  private byte[] log(byte[] bodies) {
    ByteBuffer in = ByteBuffer.wrap(bodies);
    ByteBuffer out = ByteBuffer.allocate(Segment.HEADING + bodies.length * 8 + 64);
    out.put(log, 0, Segment.HEADING);
    for (long commit = 1; in.remaining() > 2; commit++) {
      int length = Math.min(Short.toUnsignedInt(in.getShort()), in.remaining());
      ByteBuffer frame = ByteBuffer.allocate(Draft.HEADER + length).putInt(0, length).putLong(Long.BYTES, commit);
      frame.put(Draft.HEADER, in.slice(in.position(), length), 0, length);
      in.position(in.position() + length);
      out.put(frame.putInt(Integer.BYTES, Draft.checksum(1, frame)));
    }
    return FuzzTarget.array(out.flip());
  }
}
