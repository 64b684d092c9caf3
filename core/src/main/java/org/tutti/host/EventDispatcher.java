package org.tutti.host;

import org.jspecify.annotations.Nullable;
import org.tutti.Event;
import org.tutti.Status;
import org.tutti.pack.Batch;

/// How a member's events reach the application. Called by the engine thread.
sealed interface EventDispatcher permits EventQueue, ListenerDispatcher {
  /// A batch has its place.
  void deliver(Batch batch, long position);

  /// A batch is delivered in a branch.
  void deliverInBranch(Batch batch);

  /// A batch is delivered before it has its place.
  void deliverEarly(Batch batch);

  /// A multicast to some members is delivered.
  void deliverSubset(Batch subset);

  /// Whether it keeps up with these.
  boolean takesSubsets();

  /// A batch that was delivered early has its place.
  void pass(Batch batch);

  /// State replaces all batches before it.
  void offer(Event.StateOffer offer);

  /// Anything else.
  void tell(Event event);

  /// To what the application comes next: the same object as long as it has not come to it; null when nothing waits.
  default @Nullable Object next() {
    return null; // a listener takes events as they come
  }

  /// How much waits for the application, that included.
  default int waiting() {
    return 0;
  }

  /// How much waits on disk.
  default Status.Spilled spilled() {
    return Status.Spilled.NOTHING;
  }

  /// Looks whether the application is at one event for long; called now and then.
  default void look(long now) {}

  /// Nothing more comes.
  default void end() {}

  /// What the application was given.
  Activity.Delivered delivered();

  /// How many batches that have their places are consumed.
  long consumed();

  /// How many of these the application has taken.
  default long taken() {
    return consumed();
  }

  /// How many batches of branches are consumed.
  long consumedInBranches();
}
