package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tutti.GroupConfig;
import org.tutti.sim.Plan;
import org.tutti.sim.Recorder;
import org.tutti.sim.check.History;

/// What a diagram is drawn from: a run's history, its cuts and its messages of view agreement.
public final class Recording implements Recorder {
  /// A time in which links were cut.
  ///
  /// @param fromNanos its beginning
  /// @param toNanos   its end
  /// @param cut       by sender and receiver
  record Interval(long fromNanos, long toNanos, boolean[][] cut) {}

  private final List<Interval> cuts = new ArrayList<>();
  private final List<Talk> talks = new ArrayList<>();
  private boolean @Nullable [][] current;
  private long currentNanos;
  private History history = new History(GroupConfig.standard());
  private long endNanos;
  private final Plan plan;

  /// Begins a recording.
  ///
  /// @param plan the run
  public Recording(Plan plan) {
    this.plan = plan;
  }

  @Override
  public void cut(long nanos, boolean @Nullable [][] cut) {
    if (current != null && nanos > currentNanos) {
      cuts.add(new Interval(currentNanos, nanos, current));
    }
    boolean some = cut != null && CutWords.cutsSomething(cut);
    current = some ? cut : null;
    currentNanos = nanos;
  }

  @Override
  public void arrived(Talk talk) {
    talks.add(talk);
  }

  @Override
  public void ended(History of, long nanos) {
    cut(nanos, null);
    history = of;
    endNanos = nanos;
  }

  Plan plan() {
    return plan;
  }

  List<Interval> cuts() {
    return Collections.unmodifiableList(cuts);
  }

  List<Talk> talks() {
    return Collections.unmodifiableList(talks);
  }

  History history() {
    return history;
  }

  long endNanos() {
    return endNanos;
  }
}
