package org.tutti.order;

import java.util.List;
import org.tutti.pack.Batch;

/// What members say about [Asides].
public sealed interface AsideMessage {
  /// From the sender to the destinations.
  ///
  /// @param destinations their ranks, rising
  /// @param batch        the payload; its number counts the sender's asides
  record Aside(List<Integer> destinations, Batch batch) implements AsideMessage {
    /// Copies the list.
    public Aside {
      destinations = List.copyOf(destinations);
    }
  }

  /// To the sender: the aside should have this timestamp at least.
  ///
  /// @param number    the aside's
  /// @param timestamp beyond everything that the destination has seen
  record Proposed(long number, long timestamp) implements AsideMessage {}

  /// From the sender to the destinations: the timestamp that it has, sn(m).
  ///
  /// @param number    the aside's
  /// @param timestamp the highest proposal; 0 when the sender gives the aside up
  record Final(long number, long timestamp) implements AsideMessage {}

  /// From a destination to the others and the sender: it is here, and what comes before it is known.
  ///
  /// @param rank   the sender's
  /// @param number the aside's
  record Held(int rank, long number) implements AsideMessage {}

  /// To the sender: the group has switched to another ordering before the aside.
  ///
  /// @param number the aside's
  record Refused(long number) implements AsideMessage {}
}
