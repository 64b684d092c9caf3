package org.tutti.sim.check;

import java.util.function.Consumer;

/// One property, read off a history when the run is over.
public interface Checker {
  /// The property's name.
  ///
  /// @return the class's name
  default String property() {
    return getClass().getSimpleName();
  }

  /// Whether it compares what different members have of one chain of primary views: then each lineage of a group that
  /// was forced is looked at by itself. All others look at a member, or at those of one view.
  ///
  /// @return whether it does
  default boolean isOfLineage() {
    return false;
  }

  /// Looks for what contradicts the property.
  ///
  /// @param history the run
  /// @param intervals   the same, by member and view
  /// @param report  gets each contradiction in words
  void check(History history, ViewIntervals intervals, Consumer<String> report);
}
