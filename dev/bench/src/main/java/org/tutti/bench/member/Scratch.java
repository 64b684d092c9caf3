package org.tutti.bench.member;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/// A directory for files that mean nothing after a measurement. It is deleted with all that is in it when it is closed,
/// and when the process is ended by a signal that it can see.
public final class Scratch implements AutoCloseable {
  private static final Path MEMORY = Path.of("/dev/shm"); // where Linux keeps files in memory
  private static final long ROOM = 2L << 30;
  private static final int ATTEMPTS = 5; // while others still make files in it

  private final Path path;
  private final Thread hook = new Thread(this::delete, "scratch");

  private Scratch(Path path) {
    this.path = path;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /// For the processes of a measurement: in memory where that is offered with enough room, else where temporary files
  /// go.
  ///
  /// @return a new one
  /// @throws IOException when it cannot be made
  public static Scratch create() throws IOException {
    String prefix = "tutti-bench-" + ProcessHandle.current().pid() + "-";
    boolean inMemory = Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ROOM;
    return new Scratch(inMemory ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix));
  }

  /// The same on the disk, for what is to be measured with its files.
  ///
  /// @return a new one, where temporary files go
  /// @throws IOException when it cannot be made
  public static Scratch onDisk() throws IOException {
    return new Scratch(Files.createTempDirectory("tutti-bench-" + ProcessHandle.current().pid() + "-"));
  }

  /// For one process.
  ///
  /// @param parent within this one
  /// @return a new one
  /// @throws IOException when it cannot be made
  public static Scratch within(Path parent) throws IOException {
    return new Scratch(Files.createTempDirectory(parent, "member"));
  }

  /// Where it is.
  ///
  /// @return the directory
  public Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    Runtime.getRuntime().removeShutdownHook(hook);
  }

  /// Files that are mapped into memory go on until nobody uses them; others may delete files meanwhile, too.
  private void delete() {
    for (int attempt = 1; Files.exists(path); attempt++) {
      try (Stream<Path> files = Files.walk(path)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      } catch (IOException | UncheckedIOException failure) {
        if (attempt == ATTEMPTS) {
          throw new IllegalStateException("cannot delete " + path, failure);
        }
      }
    }
  }
}
