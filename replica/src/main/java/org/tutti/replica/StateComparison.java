package org.tutti.replica;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// What was found when all replicas of a service compared their states ([Client#compareStates]).
///
/// @param position everything before it is contained in the states; 0 when none were compared in time
/// @param digests  those of the replicas that have said theirs, by name; empty when the service gives none
///                 ([StateMachine#digest]). A replica that said another one before it was started again is there twice
/// @param silent   the names of those in the view that have not said theirs in time
public record StateComparison(long position, SortedMap<String, Long> digests, List<String> silent) {
  /// Copies both.
  public StateComparison {
    digests = Collections.unmodifiableSortedMap(new TreeMap<>(digests));
    silent = List.copyOf(silent);
  }

  /// Whether all replicas in the view have the same state.
  ///
  /// @return false, too, when one of them has not said its digest, or the service gives none
  public boolean isEqual() {
    return silent.isEmpty() && !digests.isEmpty() && !differs();
  }

  /// Whether two of the digests differ.
  ///
  /// @return false, too, when fewer than two are there
  public boolean differs() {
    return digests.values().stream().distinct().count() > 1;
  }
}
