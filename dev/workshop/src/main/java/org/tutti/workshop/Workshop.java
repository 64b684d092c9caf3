package org.tutti.workshop;

import java.io.PrintWriter;
import java.util.List;
import org.tutti.cli.Tutti;

/// The `tutti` command of the source tree: the commands of [Tutti] and those that show, simulate, measure and try it.
public final class Workshop {
  private static final List<Class<?>> FIRST = List.of(DemoCommand.class);
  private static final List<Class<?>> LAST = List.of(SimulateCommand.class, BenchCommand.class, LabCommand.class);

  private Workshop() {}

  /// Runs the command and ends the process.
  ///
  /// @param args the command line
  public static void main(String[] args) {
    Tutti.run(FIRST, LAST, args);
  }

  /// Runs the command in this process, which goes on: for tests of what it refuses.
  ///
  /// @param errors gets what is told on standard error otherwise
  /// @param args the command line
  /// @return the exit code
  public static int execute(PrintWriter errors, String... args) {
    return Tutti.execute(FIRST, LAST, errors, args);
  }
}
