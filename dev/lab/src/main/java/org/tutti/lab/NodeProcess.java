package org.tutti.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A process that the lab has started at a node: it gets commands and signals.
final class NodeProcess {
  private static final long PATIENCE_SECONDS = 20;

  private final Process process;
  private final Writer commands;

  NodeProcess(List<String> command, Path log) {
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    commands = process.outputWriter();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exitCode() {
    return process.exitValue();
  }

  void tell(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException ending) {
      // Whoever looks next sees that it has ended.
    }
  }

  void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start();
      if (!kill.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new LabException("kill -" + signal + " of " + process.pid() + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LabException("interrupted", e);
    }
  }

  /// Ends the process and waits for that.
  void destroy() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
