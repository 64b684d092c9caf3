package org.tutti.lab.network;

import java.io.IOException;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The commands of iproute2: `ip` and `tc`.
final class Iproute {
  private static final String IP = "ip";
  private static final String TC = "tc";
  private static final long SECONDS_MAX = 30;

  /// There is no such command.
  static final class Missing extends IOException {
    @Serial private static final long serialVersionUID = 1;

    Missing(String command, IOException cause) {
      super("there is no command '" + command + "' (package iproute2)", cause);
    }
  }

  private Iproute() {}

  /// Runs one command of `ip`.
  ///
  /// @return what it printed
  /// @throws IOException when there is no such command, or it fails, with what it said
  static List<String> run(String... arguments) throws IOException {
    return run(IP, List.of(), arguments);
  }

  /// Runs several commands of `ip` in a namespace.
  static void batch(String namespace, List<String> commands) throws IOException {
    run(IP, commands, "-n", namespace, "-batch", "-");
  }

  /// Runs one command of `tc` in a namespace.
  ///
  /// @return what it printed
  /// @throws IOException when there is no such command, or it fails, with what it said
  static List<String> traffic(String namespace, String... arguments) throws IOException {
    return run(TC, List.of(), Stream.concat(Stream.of("-n", namespace), Stream.of(arguments)).toArray(String[]::new));
  }

  private static Process start(List<String> command) throws Missing {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new Missing(command.getFirst(), e);
    }
  }

  private static List<String> run(String tool, List<String> input, String... arguments) throws IOException {
    var command = new ArrayList<String>();
    command.add(tool);
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
