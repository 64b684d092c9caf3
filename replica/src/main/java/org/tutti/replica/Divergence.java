package org.tutti.replica;

import java.util.Map;

/// Replicas of a service have different states at one position of the history, by the digests that their services give
/// ([StateMachine#digest]). So one of them does what does not follow from the state and the commands alone, or its
/// memory or disk is damaged.
///
/// Nobody knows which state is the right one; if most replicas have the same, it is probably that. A replica gets the
/// state of another one when its process is started again, without its directory if it has one.
///
/// @param position everything before it is contained in the states
/// @param digests  of the replicas that have said theirs until the next comparison began, by name
public record Divergence(long position, Map<String, Long> digests) {
  /// Copies the digests.
  public Divergence {
    digests = Map.copyOf(digests);
  }

  /// The digests in hexadecimal digits, in the order of the replicas' names.
  @Override
  public String toString() {
    var words = new StringBuilder("different states at position " + position + ":");
    digests.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(one -> words.append(String.format(" %s %016x", one.getKey(), one.getValue())));
    return words.toString();
  }
}
