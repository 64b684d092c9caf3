package org.tutti.verify;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Files that the JVMs of a build share: the first one that needs such a file makes it, and so does the first one that
/// finds it older than what it is made of. The others wait for it.
///
/// Most of them are ahead-of-time caches of the classes of programs that tests start by the dozen; a cache takes half
/// of the processor time off each start.
public final class SharedFile {
  private static final Path DIRECTORY = Path.of("target").toAbsolutePath();
  private static final long TRAINING_SECONDS_MAX = 60;

  /// Makes a file.
  public interface Maker {
    /// Makes it, or leaves it.
    ///
    /// @param next where it is to be
    void make(Path next) throws Exception;
  }

  private SharedFile() {}

  /// A file of the build.
  ///
  /// @param name    in the module's directory `target`
  /// @param sources what it is made of
  /// @return null when the maker has left it
  public static synchronized @Nullable Path of(String name, List<Path> sources, Maker maker) {
    Path file = DIRECTORY.resolve(name);
    Path guard = DIRECTORY.resolve(name + ".lock");
    Path next = DIRECTORY.resolve("next-" + name);
    try (var channel = FileChannel.open(guard, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var lock = channel.lock()) {
      if (lock.isValid() && !isCurrent(file, sources)) {
        maker.make(next);
        if (Files.exists(next)) {
          Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        }
      }
      return isCurrent(file, sources) ? file : null;
    } catch (Exception e) {
      throw new IllegalStateException("no " + file, e);
    }
  }

  private static boolean isCurrent(Path file, List<Path> sources) throws IOException {
    if (!Files.exists(file)) {
      return false;
    }
    for (Path source : sources) {
      if (Files.getLastModifiedTime(source).compareTo(Files.getLastModifiedTime(file)) > 0) {
        return false;
      }
    }
    return true;
  }

  /// Options for Java with which a program starts from a cache of its classes, and of those of the JDK.
  ///
  /// @param name    in the module's directory `target`
  /// @param path    the program's class or module path
  /// @param command makes the command that runs what is to be in the cache
  /// @param warm    a line of the program that begins so says that all of that has run
  /// @return none where there can be no cache: of directories of classes, as an IDE has them, Java makes none
  public static List<String> cacheOptions(String name, List<Path> path, Callable<List<String>> command, String warm) {
    if (path.stream().anyMatch(Files::isDirectory)) {
      return List.of();
    }
    Path cache = of(name, path, next -> train(next, command.call(), warm));
    return cache == null ? List.of() : List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off", "-Xlog:cds=off");
  }

  private static void train(Path next, List<String> command, String warm) throws IOException, InterruptedException {
    var recording = new ArrayList<>(command);
    recording.add(1, "-XX:AOTCacheOutput=" + next);
    Process program = new ProcessBuilder(recording).redirectErrorStream(true).start();
    try (var output = program.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(warm)) {
          program.toHandle().destroy(); // in order; what is in use then is written
        }
      }
      if (!program.waitFor(TRAINING_SECONDS_MAX, TimeUnit.SECONDS)) {
        Files.deleteIfExists(next);
      }
    } finally {
      program.destroyForcibly();
    }
  }
}
