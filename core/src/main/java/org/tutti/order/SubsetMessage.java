package org.tutti.order;

import java.util.List;
import org.tutti.pack.Batch;

/// What members say about [SubsetMulticasts].
public sealed interface SubsetMessage {
  /// From the sender to the destinations.
  ///
  /// @param destinations their ranks, rising
  /// @param batch        the payload; its number counts the sender's subset multicasts
  record SubsetMulticast(List<Integer> destinations, Batch batch) implements SubsetMessage {
    /// Copies the list.
    public SubsetMulticast {
      destinations = List.copyOf(destinations);
    }
  }

  /// To the sender: the subset multicast should have this timestamp at least.
  ///
  /// @param number    the subset multicast's
  /// @param timestamp beyond everything that the destination has seen
  record Proposed(long number, long timestamp) implements SubsetMessage {}

  /// From the sender to the destinations: the timestamp that it has, sn(m).
  ///
  /// @param number    the subset multicast's
  /// @param timestamp the highest proposal; 0 when the sender gives the subset multicast up
  record Final(long number, long timestamp) implements SubsetMessage {}

  /// From a destination to the others and the sender: it is here, and what comes before it is known.
  ///
  /// @param rank   the sender's
  /// @param number the subset multicast's
  record Held(int rank, long number) implements SubsetMessage {}

  /// To the sender: the group has switched to another ordering before the subset multicast.
  ///
  /// @param number the subset multicast's
  record Refused(long number) implements SubsetMessage {}
}
