package org.tutti.store;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tutti.storage.StorageException;

/// That this process, and it alone, uses a directory: a locked file with the process's id in it. The operating system
/// releases the lock when the process ends, however it ends.
final class Possession {
  private static final String NAME = "lock";
  private static final int ID_MAX = 20;

  private final FileChannel channel;

  private Possession(FileChannel channel) {
    this.channel = channel;
  }

  static boolean isName(String file) {
    return file.equals(NAME);
  }

  static Possession take(Path directory) throws IOException {
    FileChannel channel = OwnerOnly.open(directory.resolve(NAME), Set.of(CREATE, READ, WRITE));
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      channel.close();
      throw new StorageException("stable storage " + directory + " is in use by this process already", e);
    }
    if (lock == null) {
      String holder = holder(channel);
      channel.close();
      throw new StorageException(
          "stable storage "
              + directory
              + " is in use by "
              + (holder == null ? "another process" : "process " + holder));
    }
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
    return new Possession(channel);
  }

  /// Who says in the file to be its user; null while that is not known.
  private static @Nullable String holder(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(ID_MAX);
    channel.read(text, 0);
    String id = StandardCharsets.US_ASCII.decode(text.flip()).toString();
    return id.matches("[0-9]+") ? id : null;
  }

  void release() throws IOException {
    channel.close();
  }
}
