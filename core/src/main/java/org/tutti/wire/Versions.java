package org.tutti.wire;

import org.tutti.View;

/// Which versions of the protocol a node understands: of packets and of all that is said in them. Each node says so
/// when it introduces itself, and two nodes use the highest version that both have (`docs/protocols/versions.md`).
///
/// ```java
/// new Versions(5, 6).common(new Versions(6, 9)); // 6
/// ```
///
/// @param oldest the lowest, at least 1
/// @param newest the highest, at most 255
public record Versions(int oldest, int newest) {
  /// What this build understands.
  public static final Versions OWN = new Versions(5, 5);

  /// The highest that there can ever be.
  public static final int MAX = View.VERSION_MAX;

  /// Checks the range.
  ///
  /// @throws IllegalArgumentException when it is none
  public Versions {
    if (!isRange(oldest, newest)) {
      throw new IllegalArgumentException("no versions: " + oldest + " to " + newest);
    }
  }

  /// Whether two numbers are a range of versions.
  ///
  /// @param oldest any number
  /// @param newest any number
  /// @return whether they may be told
  public static boolean isRange(int oldest, int newest) {
    return oldest >= 1 && oldest <= newest && newest <= MAX;
  }

  /// Whether a version is among them.
  ///
  /// @param version any number
  /// @return whether the node understands it
  public boolean has(int version) {
    return version >= oldest && version <= newest;
  }

  /// The version that is used between two nodes.
  ///
  /// @param other what the other one understands
  /// @return the highest that both have; 0 when there is none
  public int common(Versions other) {
    int highest = Math.min(newest, other.newest);
    return highest >= Math.max(oldest, other.oldest) ? highest : 0;
  }

  /// For people.
  ///
  /// @return such as `version 5`, or `versions 5 to 7`
  @Override
  public String toString() {
    return oldest == newest ? "version " + oldest : "versions " + oldest + " to " + newest;
  }
}
