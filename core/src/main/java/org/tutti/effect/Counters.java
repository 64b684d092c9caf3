package org.tutti.effect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tutti.Metric;
import org.tutti.transport.Counts;

/// What a node counts. Only the engine thread writes, but for [#countShared].
///
/// What cannot be read is counted with the reason that its decoder gives. Reasons are constants of the code, so there
/// are not more of them than places that refuse something.
public final class Counters {
  private static final Metric DAMAGED =
      Metric.counter("link.packets.damaged", "Packets from the network that cannot be read were dropped.");
  private static final Metric MALFORMED =
      Metric.counter("engine.messages.malformed", "Messages with impossible content in intact packets were dropped.");

  private final Counts<Count> counts = new Counts<>(Count.class);
  private final Map<String, long[]> damaged = new TreeMap<>();
  private final Map<String, long[]> malformed = new TreeMap<>();

  /// Makes an empty set of counters.
  public Counters() {}

  /// Adds one.
  ///
  /// @param what what happened
  public void count(Count what) {
    counts.add(what);
  }

  /// Adds one, from any thread, to what only this method counts.
  ///
  /// @param what what happened
  public void countShared(Count what) {
    counts.addShared(what);
  }

  /// A packet was dropped that cannot be read.
  ///
  /// @param reason what is wrong, as [org.tutti.wire.Malformed#reason] has it
  public void damaged(String reason) {
    damaged.computeIfAbsent(reason, key -> new long[1])[0]++;
  }

  /// A message was dropped that came intact and cannot be true.
  ///
  /// @param reason what is wrong, as [org.tutti.wire.Malformed#reason] has it
  public void malformed(String reason) {
    malformed.computeIfAbsent(reason, key -> new long[1])[0]++;
  }

  /// How often something happened.
  ///
  /// @param what what
  /// @return how often
  public long get(Count what) {
    return counts.get(what);
  }

  /// Everything counted so far.
  ///
  /// @return a copy
  public List<Metric> metrics() {
    List<Metric> all = new ArrayList<>(counts.metrics());
    add(all, DAMAGED, damaged);
    add(all, MALFORMED, malformed);
    return all;
  }

  private static void add(List<Metric> to, Metric declared, Map<String, long[]> byReason) {
    byReason.forEach((reason, value) -> to.add(declared.tagged("reason", reason.replace(' ', '-')).with(value[0])));
  }
}
