package org.tutti.host;

import org.tutti.Event;
import org.tutti.pack.Batch;

/// How a member's events reach the application. Called by the engine thread.
sealed interface Application permits EventQueue, Listening {
  /// A batch has its place.
  void deliver(long index, Batch batch, long position);

  /// State replaces all batches before an index.
  void offer(Event.StateOffer offer, long index);

  /// Anything else.
  void tell(Event event);

  /// The index behind the last consumed batch.
  long consumedNext();
}
