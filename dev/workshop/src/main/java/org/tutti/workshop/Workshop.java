package org.tutti.workshop;

import java.util.List;
import org.tutti.cli.Tutti;

/// The `tutti` command of the source tree: the commands of [Tutti] and those that show, simulate, measure and try it.
public final class Workshop {
  private Workshop() {}

  /// Runs the command and ends the process.
  ///
  /// @param args the command line
  public static void main(String[] args) {
    Tutti.run(List.of(DemoCommand.class), List.of(SimulateCommand.class, BenchCommand.class, LabCommand.class), args);
  }
}
