package org.tutti.lab.network;

import java.io.IOException;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The `ip` command of iproute2.
final class Ip {
  private static final long SECONDS_MAX = 30;

  /// There is no such command.
  static final class Missing extends IOException {
    @Serial private static final long serialVersionUID = 1;

    Missing(IOException cause) {
      super(cause);
    }
  }

  private Ip() {}

  /// Runs one command.
  ///
  /// @return what it printed
  /// @throws IOException when there is no such command, or it fails, with what it said
  static List<String> run(String... arguments) throws IOException {
    return run(List.of(), arguments);
  }

  /// Runs several commands in a namespace.
  static void batch(String namespace, List<String> commands) throws IOException {
    run(commands, "-n", namespace, "-batch", "-");
  }

  private static Process start(List<String> command) throws Missing {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new Missing(e);
    }
  }

  private static List<String> run(List<String> input, String... arguments) throws IOException {
    var command = new ArrayList<String>();
    command.add("ip");
    command.addAll(List.of(arguments));
    Process process = start(command);
    try (var out = process.inputReader()) {
      try (var in = process.outputWriter()) {
        for (String line : input) {
          in.write(line + "\n");
        }
      }
      List<String> lines = out.lines().toList();
      if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + String.join("; ", lines));
      }
      return lines;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
