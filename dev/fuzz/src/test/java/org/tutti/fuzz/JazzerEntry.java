package org.tutti.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What Jazzer calls; its arguments name the targets. Of several, the first byte of an input says which one is meant.
public final class JazzerEntry {
  private static final List<Trial> TRIALS = new ArrayList<>();

  private JazzerEntry() {}

  /// Begins.
  ///
  /// @param arguments the names of targets
  public static void fuzzerInitialize(String[] arguments) {
    for (String name : arguments) {
      TRIALS.add(new Trial(Targets.make(name)));
    }
  }

  /// Tries one input.
  ///
  /// @param input any bytes
  public static void fuzzerTestOneInput(byte[] input) {
    if (TRIALS.size() == 1) {
      TRIALS.getFirst().take(input);
    } else if (input.length > 0) {
      int which = Byte.toUnsignedInt(input[0]) % TRIALS.size();
      TRIALS.get(which).take(Arrays.copyOfRange(input, 1, input.length));
    }
  }
}
