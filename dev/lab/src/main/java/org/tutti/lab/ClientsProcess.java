package org.tutti.lab;

import java.nio.file.Path;
import java.util.List;

/// The process of a lab's clients, and how far they are, as the file of their calls says.
final class ClientsProcess {
  private final NodeProcess process;
  private final Path log;
  private final Tail tail;
  private final Stops answers;
  private long open;
  private boolean calling;

  /// @param answers hears of each answer
  ClientsProcess(Path calls, Path log, List<String> command, Stops answers) {
    this.log = log;
    this.answers = answers;
    this.tail = new Tail(calls, this::take);
    this.process = new NodeProcess(command, log);
  }

  private void take(String line) {
    switch (CallEntry.parse(line)) {
      case CallEntry.Made _ -> {
        open++;
        calling = true;
      }
      case CallEntry.Ended ended -> {
        open--;
        if (ended.outcome() == CallEntry.Outcome.TOLD) {
          answers.delivered(ended.at());
        }
      }
      case null -> throw new IllegalStateException("torn before its end: " + line);
    }
  }

  /// Reads on.
  ///
  /// @throws LabException when the process has ended
  void look() {
    tail.look();
    if (!process.isAlive()) {
      throw new LabException("the clients ended with exit code " + process.exitCode() + "; see " + log);
    }
  }

  void tell(String command) {
    process.tell(command);
  }

  /// Whether the first call was made.
  boolean isCalling() {
    return calling;
  }

  /// Whether no call is open.
  boolean isSettled() {
    return open == 0;
  }

  void destroy() {
    process.destroy();
  }
}
