package org.tutti.sim;

import java.util.List;

/// What came of many runs of one kind, or of the first of them: counts over all, and the runs that failed. It can be
/// written down and read again.
///
/// @param <R> what came of one run
public interface SeedReport<R> {
  /// Takes up a run.
  ///
  /// @param outcome what came of it
  void add(R outcome);

  /// How many runs there were.
  ///
  /// @return seeds that are done
  long seeds();

  /// How many runs failed.
  ///
  /// @return seeds with a violation
  long failed();

  /// The runs that failed, the first hundred of them.
  ///
  /// @return by seed
  List<R> failures();

  /// The counts so far in one line.
  ///
  /// @return the seeds first, the violations last
  String line();

  /// All counts, a line each.
  ///
  /// @return a table
  String table();

  /// Everything as lines from which the same report can be made. Of a failed run there is its seed: the rest follows.
  ///
  /// @return lines of a file
  List<String> lines();
}
