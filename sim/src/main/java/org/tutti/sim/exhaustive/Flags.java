package org.tutti.sim.exhaustive;

/// What a state knows besides members and channels, in one number: multicasts left, what has gone wrong, who is wedged.
final class Flags {
  private static final int LEFT = 0xf;
  private static final int OUT_SHIFT = 4; // rank + 1 of who does not take part in the view change, or NOBODY_OUT
  private static final int OUT = 0x7;
  private static final int NOBODY_OUT = 7;
  private static final int SILENT_SHIFT = 8; // by rank, who takes no inputs any more

  private Flags() {}

  static int initial(int messages) {
    return messages;
  }

  static int left(int flags) {
    return flags & LEFT;
  }

  static int oneLess(int flags) {
    return flags - 1;
  }

  static boolean isFaulty(int flags) {
    return (flags >> OUT_SHIFT & OUT) != 0;
  }

  /// Whether a member takes no part in the view change.
  static boolean isOut(int flags, int rank) {
    return out(flags) == rank;
  }

  /// Who takes no part: a rank that nobody may have, when all do.
  static int out(int flags) {
    return (flags >> OUT_SHIFT & OUT) - 1;
  }

  /// Whether a member takes inputs: it has not crashed and is not wedged.
  static boolean isActive(int flags, int rank) {
    return (flags >> SILENT_SHIFT + rank & 1) == 0;
  }

  static int change(int flags) {
    return flags | NOBODY_OUT << OUT_SHIFT;
  }

  static int suspect(int flags, int rank) {
    return flags | rank + 1 << OUT_SHIFT;
  }

  static int crash(int flags, int rank) {
    return silence(suspect(flags, rank), rank);
  }

  static int silence(int flags, int rank) {
    return flags | 1 << SILENT_SHIFT + rank;
  }
}
