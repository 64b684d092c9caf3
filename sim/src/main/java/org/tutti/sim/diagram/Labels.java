package org.tutti.sim.diagram;

import java.util.ArrayList;
import java.util.List;

/// Which places of the page are taken by words, so that none covers another.
final class Labels {
  private record Box(double left, double top, double right, double bottom) {
    boolean meets(Box other) {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  }

  private static final double PER_LETTER = 0.58; // of the size of the letters; a little more than the fonts need

  private final List<Box> taken = new ArrayList<>();

  /// How wide words are.
  static double width(String words, double size) {
    return words.length() * size * PER_LETTER;
  }

  /// Takes a place if it is free.
  ///
  /// @param x        the middle
  /// @param baseline where the letters stand
  /// @return whether it was
  boolean take(double x, double baseline, String words, double size) {
    double half = width(words, size) / 2 + 1;
    var box = new Box(x - half, baseline - size, x + half, baseline + size / 4);
    if (taken.stream().anyMatch(box::meets)) {
      return false;
    }
    taken.add(box);
    return true;
  }
}
