package org.tutti.sim.check;

/// Which versions of the protocol a member's node speaks, as its operator knows it: numbers of the checkers' own, so
/// that a bug that is planted in the code cannot hide itself from them.
///
/// @param oldest   the lowest that it understands
/// @param newest   the highest that it understands
/// @param admitted the highest to which it lets a group rise
public record Build(int oldest, int newest, int admitted) {
  boolean has(int version) {
    return oldest <= version && version <= newest;
  }
}
