package org.tutti.bench.trial;

import java.util.List;

/// Who does what a trial demands.
interface TrialRunner {
  String name();

  /// Does it and tells what came of it.
  ///
  /// @param task what
  /// @param own  all processes that belong to the measurement, those of other process groups too
  TrialOutcome run(Task task, List<Long> own) throws InterruptedException;
}
