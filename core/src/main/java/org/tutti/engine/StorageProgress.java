package org.tutti.engine;

import org.tutti.membership.StateTransfer;
import org.tutti.order.Log;

/// How much of a history is in stable storage. Only that may be acknowledged, and delivered.
interface StorageProgress {
  /// Of a group that keeps nothing.
  StorageProgress NOTHING_TO_WRITE = () -> Long.MAX_VALUE;

  /// The index behind what is written as durably as it has to be.
  long next();

  /// A view change has decided the end of a history, which is delivered right after this.
  default void adopted(Log log) {}

  /// Deliveries begin anew with a state that is to come, and that contains everything below an index.
  default void restarted(long index) {}

  /// The state is with the application, and contains what is before this place, at the index of the last [#restarted].
  default void started(StateTransfer.Start start) {}
}
