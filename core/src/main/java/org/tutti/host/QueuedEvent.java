package org.tutti.host;

import org.tutti.Event;
import org.tutti.pack.Batch;
import org.tutti.user.GroupUser;

/// What waits in an [EventQueue] until the application takes it.
sealed interface QueuedEvent {
  /// What a delivered batch counts for.
  enum Place {
    IN_HISTORY,
    IN_BRANCH,
    NONE // or it comes later
  }

  /// A batch whose messages are to be taken.
  ///
  /// @param counted whether it counts as consumed already, as it was spilled
  record Delivered(Place place, Batch batch, long position, boolean counted) implements QueuedEvent {
    Delivered(Place place, Batch batch, long position) {
      this(place, batch, position, false);
    }

    /// Whether it has anything for the application. What members propagate comes as an event of its own.
    boolean hasMessages() {
      return batch.count() > 0 && batch.kind() != Batch.Kind.PROPAGATED;
    }
  }

  /// A batch that was delivered early has its place.
  record Passed(Batch batch) implements QueuedEvent {}

  /// A state is offered.
  record Offered(Event.StateOffer offer) implements QueuedEvent {}

  /// Anything else.
  record Told(Event event) implements QueuedEvent {}

  /// What a batch takes up, as windows count.
  static long cost(Batch batch) {
    return batch.payload().remaining() + (long) batch.count() * GroupUser.MESSAGE_OVERHEAD;
  }
}
