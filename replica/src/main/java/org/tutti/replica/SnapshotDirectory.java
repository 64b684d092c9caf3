package org.tutti.replica;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.tutti.replica.protocol.SnapshotStore;
import org.tutti.storage.OwnerOnly;

/// A directory of the file system with one replica's snapshots, for its owner's eyes. A lock keeps other replicas out
/// as long as it is open.
final class SnapshotDirectory implements SnapshotStore.Disk, Closeable {
  private static final String LOCK = "lock";

  private final Path directory;
  private final FileChannel lock; // open as long as the directory is this replica's
  private final ReentrantLock guard = new ReentrantLock();

  private SnapshotDirectory(Path directory, FileChannel lock) {
    this.directory = directory;
    this.lock = lock;
  }

  /// Opens a directory, which is made if it is not there.
  static SnapshotDirectory open(Path directory) throws IOException {
    Files.createDirectories(directory, OwnerOnly.ofDirectory(directory));
    FileChannel channel = OwnerOnly.open(directory.resolve(LOCK), Set.of(CREATE, WRITE));
    @Nullable FileLock held = null;
    try {
      held = channel.tryLock();
    } catch (OverlappingFileLockException _) {
      // By this process.
    }
    if (held == null) {
      channel.close();
      throw new IOException("the snapshots in " + directory + " are in use by another replica");
    }
    return new SnapshotDirectory(directory, channel);
  }

  @Override
  public List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Override
  public InputStream read(String name) throws IOException {
    return Files.newInputStream(directory.resolve(name));
  }

  @Override
  public OutputStream write(String name) throws IOException {
    var options = Set.of(CREATE, WRITE, TRUNCATE_EXISTING);
    guard.lock();
    try {
      requireOpen();
      return new Draft(OwnerOnly.open(directory.resolve(name), options));
    } finally {
      guard.unlock();
    }
  }

  /// A file that is being written, as long as the directory is this replica's.
  private final class Draft extends OutputStream {
    private final FileChannel file;

    Draft(FileChannel file) {
      this.file = file;
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
      change(() -> {
        while (left.hasRemaining()) {
          file.write(left);
        }
      });
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private interface Change {
    void make() throws IOException;
  }

  /// Does something unless the directory is another replica's by now.
  private void change(Change change) throws IOException {
    guard.lock();
    try {
      requireOpen();
      change.make();
    } finally {
      guard.unlock();
    }
  }

  private void requireOpen() throws IOException {
    if (!lock.isOpen()) {
      throw new IOException("the replica was closed");
    }
  }

  @Override
  public void force(String name) throws IOException {
    change(() -> {
      try (FileChannel file = FileChannel.open(directory.resolve(name), WRITE)) {
        file.force(true);
      }
    });
  }

  @Override
  public void rename(String from, String to) throws IOException {
    change(() -> Files.move(directory.resolve(from), directory.resolve(to), ATOMIC_MOVE, REPLACE_EXISTING));
  }

  @Override
  public void delete(String name) throws IOException {
    change(() -> Files.delete(directory.resolve(name)));
  }

  @Override
  public void forceNames() throws IOException {
    change(() -> {
      try (FileChannel entries = FileChannel.open(directory, READ)) {
        entries.force(true);
      }
    });
  }

  @Override
  public void close() throws IOException {
    guard.lock(); // what is being done to a file is done before
    try {
      lock.close();
    } finally {
      guard.unlock();
    }
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
