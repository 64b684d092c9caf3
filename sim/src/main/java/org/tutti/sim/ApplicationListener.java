package org.tutti.sim;

import org.tutti.View;
import org.tutti.ViewId;

/// What others want to know of a [SimulatedApplication] as it happens.
interface ApplicationListener {
  void installed(SimulatedApplication at, View view);

  /// It is told of a primary view that was agreed, although perhaps nobody is shown it.
  void knows(SimulatedApplication at, ViewId primary);

  void delivered(SimulatedApplication at);

  void stateRequested(SimulatedApplication at);

  void closed(SimulatedApplication at);
}
