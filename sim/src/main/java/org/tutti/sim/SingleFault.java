package org.tutti.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// One fault that strikes a group at work and ends again, of a process or of the ways between processes: what a
/// [RecoveryRun] is about. Each keeps to bounds, in times of suspicion; `docs/protocols/suspicion.md` says why.
public enum SingleFault {
  /// The senior member crashes; a new life of it comes when the fault ends.
  SENIOR_CRASHES(5, 3),
  /// Another member crashes and comes back.
  MEMBER_CRASHES(5, 3),
  /// The senior member crashes, and the transport notices that its host refuses connections.
  SENIOR_CRASH_SEEN(5, 3),
  /// The senior member stands still.
  SENIOR_STANDS_STILL(7, 4),
  /// Another member stands still.
  MEMBER_STANDS_STILL(7, 4),
  /// The senior member hears nobody, but is heard.
  SENIOR_DEAF(7, 4),
  /// Another member hears nobody.
  MEMBER_DEAF(7, 4),
  /// Nobody hears the senior member, but it hears all.
  SENIOR_MUTE(7, 4),
  /// Nobody hears another member.
  MEMBER_MUTE(7, 4),
  /// A member does not hear another one.
  ONE_DEAF_TO_ONE(8, 9),
  /// Two members do not reach each other.
  TWO_APART(8, 9),
  /// Nobody reaches the senior member, nor it anybody.
  SENIOR_ALONE(7, 4),
  /// A member crashes, and the senior one, which changes the view, hears nobody from half a time of suspicion later.
  PROPOSER_DEAF(10, 4),
  /// The same, but nobody hears the senior one.
  PROPOSER_MUTE(10, 5),
  /// Two sides.
  TWO_SIDES(6, 4),
  /// Two sides, and then the links come back one by one, within eight times of suspicion.
  TWO_SIDES_HEAL_SLOWLY(40, 20),
  /// Every member alone.
  SCATTERED(8, 5),
  /// Every member alone, and then the links come back one by one.
  SCATTERED_HEAL_SLOWLY(60, 24);

  /// How long links take at most to come back one by one, in times of suspicion.
  static final int SLOW_HEAL_UNITS = 8;

  /// How long those that a fault spares deliver nothing at most, besides heartbeats, in times of suspicion.
  static final double SILENCE_MAX = 1.5;

  private static final double SEEN_MAX = 0.5; // where the host of a process that crashed refuses its port
  private static final double VIEWS_PER_UNIT = 2.2;
  private static final double SPLIT_UNITS = 3; // each part has a view of its own, though it doubted first
  private static final int MERGE_VIEWS_MAX = 2;

  private final int viewsMax;
  private final double wholeMax;

  SingleFault(int viewsMax, double wholeMax) {
    this.viewsMax = viewsMax;
    this.wholeMax = wholeMax;
  }

  /// How many views anybody installs at most from the beginning of the fault until all are in one again. Two that do
  /// not hear each other are merged again and again while it lasts, less and less often.
  ///
  /// @param nodes how many there are
  /// @param units how long it lasts, in times of suspicion
  int viewsMax(int nodes, double units) {
    return switch (this) {
      case ONE_DEAF_TO_ONE, TWO_APART -> viewsMax + (int) (VIEWS_PER_UNIT * units);
      case SCATTERED, SCATTERED_HEAL_SLOWLY -> viewsMax + nodes;
      default -> viewsMax;
    };
  }

  /// How many views are agreed at most after its end. Parts that are in views of their own when all links come back at
  /// once are merged by one; a second one is for whoever is met late. When the fault was too short for that, the parts
  /// find out during the heal that they were apart, and only [#viewsMax] holds.
  ///
  /// @param units how long it lasted, in times of suspicion
  int healViewsMax(double units) {
    return switch (this) {
      case SENIOR_ALONE, TWO_SIDES, SCATTERED -> units >= SPLIT_UNITS ? MERGE_VIEWS_MAX : Integer.MAX_VALUE;
      default -> Integer.MAX_VALUE;
    };
  }

  /// Whether it lies between two members that all others hear.
  boolean isOfTwo() {
    return this == ONE_DEAF_TO_ONE || this == TWO_APART;
  }

  /// How long those that it spares deliver nothing at most, besides heartbeats, in times of suspicion, where nobody
  /// doubts first.
  double silenceMax() {
    return this == SENIOR_CRASH_SEEN ? SEEN_MAX : SILENCE_MAX;
  }

  /// How long after the end of the fault all are in one primary view at the latest, in times of suspicion.
  double wholeMax() {
    return wholeMax;
  }

  /// The name in a table.
  ///
  /// @return such as `senior deaf`
  public String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// What a fault does in one run.
  ///
  /// @param cut     which node's frames do not reach which
  /// @param crashes the node that crashes, or -1
  /// @param pauses  the node that stands still, or -1
  /// @param later   what is cut from half a time of suspicion later on in addition
  /// @param spared  the nodes that have to go on
  record Strike(boolean[][] cut, int crashes, int pauses, boolean[][] later, List<Integer> spared) {}

  /// Draws whom it strikes.
  ///
  /// @param ranks  the nodes' numbers by the ranks of their members
  /// @param random from which it is drawn
  Strike draw(int[] ranks, SplittableRandom random) {
    int nodes = ranks.length;
    int senior = ranks[0];
    int member = ranks[random.nextInt(1, nodes)];
    int other = member;
    while (other == member) {
      other = ranks[random.nextInt(nodes)];
    }
    boolean[][] none = new boolean[nodes][nodes];
    return switch (this) {
      case SENIOR_CRASHES, SENIOR_CRASH_SEEN -> new Strike(none, senior, -1, none, but(ranks, senior));
      case MEMBER_CRASHES -> new Strike(none, member, -1, none, but(ranks, member));
      case SENIOR_STANDS_STILL -> new Strike(none, -1, senior, none, but(ranks, senior));
      case MEMBER_STANDS_STILL -> new Strike(none, -1, member, none, but(ranks, member));
      case SENIOR_DEAF -> cutting(Shape.deaf(nodes, senior), but(ranks, senior));
      case MEMBER_DEAF -> cutting(Shape.deaf(nodes, member), but(ranks, member));
      case SENIOR_MUTE -> cutting(Shape.mute(nodes, senior), but(ranks, senior));
      case MEMBER_MUTE -> cutting(Shape.mute(nodes, member), but(ranks, member));
      case SENIOR_ALONE -> cutting(Shape.isolated(nodes, senior), but(ranks, senior));
      case ONE_DEAF_TO_ONE, TWO_APART -> {
        boolean[][] cut = new boolean[nodes][nodes];
        cut[member][other] = true;
        cut[other][member] = this == TWO_APART;
        yield cutting(cut, but(ranks, member, other));
      }
      case PROPOSER_DEAF -> new Strike(none, member, -1, Shape.deaf(nodes, senior), but(ranks, senior, member));
      case PROPOSER_MUTE -> new Strike(none, member, -1, Shape.mute(nodes, senior), but(ranks, senior, member));
      case TWO_SIDES, TWO_SIDES_HEAL_SLOWLY -> sides(ranks, random);
      case SCATTERED, SCATTERED_HEAL_SLOWLY -> {
        boolean[][] cut = new boolean[nodes][nodes];
        for (int a = 0; a < nodes; a++) {
          for (int b = 0; b < nodes; b++) {
            cut[a][b] = a != b;
          }
        }
        yield cutting(cut, List.of());
      }
    };
  }

  private static Strike cutting(boolean[][] cut, List<Integer> spared) {
    return new Strike(cut, -1, -1, new boolean[cut.length][cut.length], spared);
  }

  /// Two sides of any size; the larger one, or of halves the one with the senior member, has to go on.
  private static Strike sides(int[] ranks, SplittableRandom random) {
    int nodes = ranks.length;
    int sides = random.nextInt(1, (1 << nodes) - 1);
    boolean[][] cut = new boolean[nodes][nodes];
    List<Integer> ones = new ArrayList<>();
    List<Integer> zeros = new ArrayList<>();
    for (int a = 0; a < nodes; a++) {
      ((sides >> a & 1) != 0 ? ones : zeros).add(a);
      for (int b = 0; b < nodes; b++) {
        cut[a][b] = (sides >> a & 1) != (sides >> b & 1);
      }
    }
    boolean first = ones.size() > zeros.size() || ones.size() == zeros.size() && ones.contains(ranks[0]);
    return cutting(cut, first ? ones : zeros);
  }

  private static List<Integer> but(int[] ranks, int... struck) {
    List<Integer> spared = new ArrayList<>();
    for (int node : ranks) {
      boolean isStruck = false;
      for (int each : struck) {
        isStruck |= each == node;
      }
      if (!isStruck) {
        spared.add(node);
      }
    }
    return spared;
  }

  /// Whether its last part comes half a time of suspicion after the first.
  boolean isTwofold() {
    return this == PROPOSER_DEAF || this == PROPOSER_MUTE;
  }

  /// Whether links come back one by one.
  boolean healsSlowly() {
    return this == TWO_SIDES_HEAL_SLOWLY || this == SCATTERED_HEAL_SLOWLY;
  }
}
