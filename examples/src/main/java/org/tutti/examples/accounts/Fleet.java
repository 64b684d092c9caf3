package org.tutti.examples.accounts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The processes of a demo and their directory. None of them outlives it: not when it fails, nor when it is interrupted
/// from the keyboard, nor (see [ParentWatch]) when it is killed itself. A temporary directory goes with it.
final class Fleet implements AutoCloseable {
  private static final int NOTICES_MAX = 10_000;
  private static final int PORT_ATTEMPTS = 100;
  private static final int INTERRUPTED = 130; // exit code: 128 + SIGINT

  /// A process ended that should not have, or nothing moves any more; the message tells all that is known.
  static final class Broken extends Exception {
    private static final long serialVersionUID = 1;

    Broken(String message) {
      super(message);
    }
  }

  private final Path directory;
  private final boolean temporary;
  private final BlockingQueue<ChildProcess.Notice> notices = new ArrayBlockingQueue<>(NOTICES_MAX);
  private final Queue<ChildProcess> children = new ConcurrentLinkedQueue<>();
  private final Thread hook = new Thread(this::sweep, "end of the demo");

  /// Makes the directory.
  ///
  /// @param keep where to leave the data; null for a temporary directory
  Fleet(@Nullable Path keep) throws IOException {
    if (keep != null && Files.exists(keep) && !isEmpty(keep)) {
      throw new IOException(keep + " is not an empty directory");
    }
    temporary = keep == null;
    directory = keep == null ? Files.createTempDirectory("tutti-demo-") : Files.createDirectories(keep);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    } catch (NotDirectoryException _) {
      return false;
    }
  }

  Path directory() {
    return directory;
  }

  ChildProcess start(String name, Class<?> main, List<String> args) throws IOException {
    ChildProcess child = ChildProcess.start(name, main, args, notices);
    children.add(child);
    return child;
  }

  /// All that were started, living or not.
  Collection<ChildProcess> children() {
    return children;
  }

  /// Waits a while for news of any child.
  ///
  /// @return null when there was none
  /// @throws Broken when a child failed
  ChildProcess.@Nullable Notice poll(Duration wait) throws InterruptedException, Broken {
    ChildProcess.Notice notice = notices.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
    if (notice != null) {
      ChildProcess child = notice.child();
      child.take(notice);
      if (child.failed() && child.exitCode() == INTERRUPTED) {
        throw new Broken("interrupted"); // from the keyboard, which reaches all processes
      } else if (child.failed()) {
        throw new Broken(child.name + " ended with exit code " + child.exitCode() + ". " + lastWords(child));
      }
    }
    return notice;
  }

  /// The last lines that all living children wrote.
  String lastWords() {
    var words = new StringBuilder();
    children.stream().filter(child -> !child.ended()).forEach(child -> words.append(lastWords(child)));
    return words.toString();
  }

  private static String lastWords(ChildProcess child) {
    String lines = String.join("\n  ", child.lastLines());
    return "The last lines of " + child.name + ":\n  " + (lines.isEmpty() ? "(none)" : lines) + "\n";
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      return; // interrupted from the keyboard: the hook is running already
    }
    sweep();
  }

  private void sweep() {
    children.forEach(ChildProcess::kill);
    children.forEach(ChildProcess::join);
    if (temporary) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// Finds a run of free ports on the loopback interface, outside of the range from which the kernel takes ports for
  /// outgoing connections: a replica that starts again must find its port free.
  static int freePorts(int count) throws IOException {
    var random = new Random();
    for (int attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
      int base = 10_000 + random.nextInt(20_000);
      if (allFree(base, count)) {
        return base;
      }
    }
    throw new IOException("found no " + count + " free ports in a row; use --port-base");
  }

  private static boolean allFree(int base, int count) {
    for (int port = base; port < base + count; port++) {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      try (var stream = new ServerSocket();
          var _ = new DatagramSocket(address)) {
        stream.bind(address);
      } catch (IOException _) {
        return false;
      }
    }
    return true;
  }
}
