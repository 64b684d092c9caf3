package org.tutti.bench.trial;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The CPU time of a process's threads, as Linux tells in `/proc`; elsewhere nothing is known.
///
/// @param threads by number
record ThreadTimes(Map<Long, Time> threads) {
  /// One thread's.
  ///
  /// @param name  its first 15 letters; that of the thread which runs `main` is the program's
  /// @param nanos CPU time since its start
  record Time(String name, long nanos) {}

  ThreadTimes {
    threads = new TreeMap<>(threads);
  }

  /// Reads the clocks of all threads.
  static ThreadTimes of(long pid) {
    var threads = new TreeMap<Long, Time>();
    Path tasks = Path.of("/proc", Long.toString(pid), "task");
    if (!Files.isReadable(tasks)) {
      return new ThreadTimes(threads);
    }
    try (DirectoryStream<Path> files = Files.newDirectoryStream(tasks)) {
      for (Path task : files) {
        Time time = time(task);
        if (time != null) {
          threads.put(Long.parseLong(task.getFileName().toString()), time);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException(e.getCause());
    }
    return new ThreadTimes(threads);
  }

  private static @Nullable Time time(Path task) throws IOException {
    try {
      String nanos = Files.readString(task.resolve("schedstat")).split(" ")[0];
      return new Time(Files.readString(task.resolve("comm")).strip(), Long.parseLong(nanos));
    } catch (NoSuchFileException ended) {
      return null;
    }
  }

  /// What they have used since an earlier moment.
  ThreadTimes since(ThreadTimes before) {
    var more = new TreeMap<Long, Time>();
    threads.forEach((thread, time) -> {
      Time then = before.threads.get(thread);
      more.put(thread, new Time(time.name, time.nanos - (then == null ? 0 : then.nanos)));
    });
    return new ThreadTimes(more);
  }
}
