package org.tutti.sim.service;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a test of a service has gone through without a violation.
///
/// @param first  the first seed
/// @param seeds  how many runs there were, each with the next seed
/// @param calls  how many calls clients made
/// @param told   how many of them had a reply or a refusal; clients give some up, and some come too late
/// @param faults how often each kind of fault was injected, by its name, such as `crash`
public record Report(long first, long seeds, long calls, long told, Map<String, Long> faults) {
  /// Copies the counts.
  public Report {
    faults = Collections.unmodifiableMap(new LinkedHashMap<>(faults));
  }
}
