package org.tutti.host;

import org.tutti.Event;
import org.tutti.pack.Batch;

/// How a member's events reach the application. Called by the engine thread.
sealed interface EventDispatcher permits EventQueue, ListenerDispatcher {
  /// A batch has its place.
  void deliver(long index, Batch batch, long position);

  /// A batch is delivered in a branch.
  void deliverInBranch(Batch batch);

  /// A batch is delivered before it has its place.
  void deliverEarly(Batch batch);

  /// A multicast to some members is delivered.
  void deliverSubset(Batch subset);

  /// Whether it keeps up with these.
  boolean takesSubsets();

  /// A batch that was delivered early has its place.
  void pass(long index, Batch batch);

  /// State replaces all batches before an index.
  void offer(Event.StateOffer offer, long index);

  /// Anything else.
  void tell(Event event);

  /// The index behind the last consumed batch.
  long consumedNext();

  /// How many batches of branches are consumed.
  long consumedInBranches();
}
