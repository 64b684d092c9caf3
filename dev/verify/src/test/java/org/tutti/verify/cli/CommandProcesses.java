package org.tutti.verify.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The processes that a test starts, which are killed when it has ended.
public final class CommandProcesses implements AfterEachCallback {
  private final List<CommandProcess> running = new ArrayList<>();

  /// Runs the `tutti` command.
  public CommandProcess run(String... args) throws IOException {
    return run(List.of(), args);
  }

  /// Runs it with options for Java besides.
  public CommandProcess run(List<String> java, String... args) throws IOException {
    running.add(CommandProcess.tutti(java, args));
    return running.getLast();
  }

  /// Runs another program.
  public CommandProcess start(List<String> command) throws IOException {
    running.add(CommandProcess.of(command));
    return running.getLast();
  }

  /// Runs another program with an environment of its own.
  public CommandProcess start(ProcessBuilder program) throws IOException {
    running.add(CommandProcess.of(program));
    return running.getLast();
  }

  /// Kills all that were started, and waits for their ends.
  public void killAll() throws InterruptedException {
    running.forEach(CommandProcess::close);
    for (CommandProcess process : running) {
      process.exitCode();
    }
    running.clear();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    running.forEach(CommandProcess::close);
  }
}
