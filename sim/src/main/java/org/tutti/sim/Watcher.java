package org.tutti.sim;

import org.tutti.View;
import org.tutti.ViewId;

/// What others want to know of an [Application] as it happens.
interface Watcher {
  void installed(Application at, View view);

  /// It is told of a primary view that was agreed, although perhaps nobody is shown it.
  void knows(Application at, ViewId primary);

  void delivered(Application at);

  void stateRequested(Application at);

  void closed(Application at);
}
