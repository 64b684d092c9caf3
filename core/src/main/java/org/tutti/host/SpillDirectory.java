package org.tutti.host;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.tutti.storage.OwnerOnly;
import org.tutti.storage.StorageException;

/// Where a node's members make the files of their [Spill]s: a directory that only its owner may use. Nodes may share
/// one.
///
/// A file is deleted as soon as it is open, where the system allows that, so that it goes with the process; else when
/// it is closed. What a crash has left all the same is deleted when a directory is opened. The file of a process that
/// lives is no loss then: it is open already, or cannot be deleted.
final class SpillDirectory implements Spill.Files {
  private static final Pattern NAME = Pattern.compile("tutti-spill-[0-9a-f]{16}-[0-9]{1,19}");

  private final Path path;
  private final String prefix = "tutti-spill-%016x-".formatted(new SplittableRandom().nextLong());
  private final AtomicLong files = new AtomicLong();

  private SpillDirectory(Path path) {
    this.path = path;
  }

  /// Opens a directory, which is made if it is not there, and deletes what crashes have left in it.
  ///
  /// @throws StorageException when it cannot be used, or others may use it
  static SpillDirectory open(Path path) {
    try {
      OwnerOnly.create(path);
      OwnerOnly.require(path, path + ", to which is spilled");
      deleteLeftovers(path);
    } catch (IOException e) {
      throw new StorageException("cannot spill to " + path + ": " + e, e);
    }
    return new SpillDirectory(path);
  }

  private static void deleteLeftovers(Path path) throws IOException {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(path, "tutti-spill-*")) {
      for (Path file : all) {
        boolean own = NAME.matcher(String.valueOf(file.getFileName())).matches();
        if (own && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          deleteIfAllowed(file);
        }
      }
    }
  }

  private static boolean deleteIfAllowed(Path file) {
    try {
      Files.deleteIfExists(file);
      return true;
    } catch (IOException inUse) {
      return false; // some systems do not delete what is open
    }
  }

  @Override
  public Spill.File create() throws IOException {
    Path file = path.resolve(prefix + files.incrementAndGet());
    Files.createFile(file, OwnerOnly.ofFile(file));
    try {
      var opened = new RandomAccessFile(file.toFile(), "rw");
      return new Opened(opened, file, deleteIfAllowed(file));
    } catch (IOException noDescriptor) {
      deleteIfAllowed(file);
      throw noDescriptor;
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }

  /// A file. No channel: an interrupt of the application's thread would close one.
  private record Opened(RandomAccessFile file, Path path, boolean deleted) implements Spill.File {
    @Override
    public void write(long at, byte[] bytes, int length) throws IOException {
      file.seek(at);
      file.write(bytes, 0, length);
    }

    @Override
    public void read(long at, byte[] into, int length) throws IOException {
      file.seek(at);
      try {
        file.readFully(into, 0, length);
      } catch (EOFException end) {
        throw new IOException("a file is shorter than what was written to it", end);
      }
    }

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException nothingIsLost) {
        // all that was in it was read, or is not wanted
      }
      if (!deleted) {
        deleteIfAllowed(path);
      }
    }
  }
}
