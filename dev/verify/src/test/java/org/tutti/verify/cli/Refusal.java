package org.tutti.verify.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.tutti.workshop.Workshop;

/// What the `tutti` command says to a line that it refuses before it does anything, found without a process of its own:
/// there are dozens of such lines, and each start takes a third of a second of a processor.
///
/// @param exitCode with which the process would end
/// @param errors   the lines on standard error
public record Refusal(int exitCode, List<String> errors) {
  private static final Logger LOGGER = Logger.getLogger("org.tutti"); // held: its level is this JVM's

  /// Gives the command a line.
  ///
  /// @param args the line
  /// @return what it said
  public static synchronized Refusal of(String... args) {
    Level before = LOGGER.getLevel();
    var errors = new StringWriter();
    try {
      int exitCode = Workshop.execute(new PrintWriter(errors, true), args);
      return new Refusal(exitCode, errors.toString().lines().toList());
    } finally {
      LOGGER.setLevel(before);
    }
  }
}
