package org.tutti.sim;

import org.jspecify.annotations.Nullable;
import org.tutti.sim.check.History;

/// Is shown what a run's [History] leaves out, for those who draw it. It must not change the run.
public interface Recorder {
  /// Which links are cut from now on.
  ///
  /// @param nanos simulated time
  /// @param cut   by sender and receiver; null when none is
  void cut(long nanos, boolean @Nullable [][] cut);

  /// A message of view agreement arrived.
  ///
  /// @param talk who said what to whom
  void arrived(Talk talk);

  /// The run is over.
  ///
  /// @param history everything that happened to its members
  /// @param nanos   simulated time
  void ended(History history, long nanos);

  /// A message of view agreement.
  ///
  /// @param from         the sender's place
  /// @param to           the receiver's place
  /// @param sentNanos    when it was sent
  /// @param arrivedNanos when it arrived
  /// @param kind         the message's name, such as `Propose`
  record Talk(int from, int to, long sentNanos, long arrivedNanos, String kind) {}
}
