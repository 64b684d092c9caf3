package org.tutti.sim.exhaustive;

import org.tutti.dissemination.Transmission;
import org.tutti.order.Stability;
import org.tutti.pack.Batch;

/// What a member does next. Its state is a function of the inputs that it has taken, in their order.
sealed interface Action {
  /// It multicasts its next message.
  ///
  /// @param way how it travels
  record Multicast(Transmission.Way way) implements Action {}

  /// The run of inputs ends.
  record Flush() implements Action {}

  /// The first message of a channel comes in.
  ///
  /// @param from    the sender's rank
  /// @param message what comes
  record Arrival(int from, Message message) implements Action {}

  /// What travels between members.
  sealed interface Message {
    /// A sender's batch.
    record Batched(Transmission transmission) implements Message {
      @Override
      public String toString() {
        Batch batch = transmission.batch();
        return "batch " + batch.seq() + " of " + batch.sender().name() + " stamped " + batch.stamp();
      }
    }

    /// A message of the ordering.
    ///
    /// @param content of the ordering's own kind
    record Order(Object content) implements Message {
      @Override
      public String toString() {
        return content.toString();
      }
    }

    /// A member's progress.
    record Held(Stability.Message content) implements Message {
      @Override
      public String toString() {
        return content.toString();
      }
    }
  }
}
