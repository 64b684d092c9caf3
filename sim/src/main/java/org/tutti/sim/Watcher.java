package org.tutti.sim;

import org.tutti.View;

/// What others want to know of an [Application] as it happens.
interface Watcher {
  void installed(Application at, View view);

  void delivered(Application at);

  void stateRequested(Application at);

  void closed(Application at);
}
