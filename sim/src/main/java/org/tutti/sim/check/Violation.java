package org.tutti.sim.check;

/// A property that did not hold.
///
/// @param property the checker's name
/// @param message  which members saw what, in words
public record Violation(String property, String message) {
  @Override
  public String toString() {
    return property + ": " + message;
  }
}
