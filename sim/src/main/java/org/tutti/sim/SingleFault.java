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
  SCATTERED_HEAL_SLOWLY(60, 24),
  /// Every member alone, for the fifth time.
  SCATTERED_AGAIN(12, 14),
  /// A member crashes while it gives its state to a newcomer, who has to get it from another one.
  DONOR_CRASHES(7, 3),
  /// A member hears nobody any more while it gives its state to a newcomer.
  DONOR_DEAF(12, 4),
  /// A member is cut off from all others while it gives its state to a newcomer.
  DONOR_ALONE(12, 4),
  /// The application of a member takes nothing. That is no reason to change the view: deliveries go on at the others
  /// until the window of every sender is full.
  CONSUMER_STANDS_STILL(0, 0),
  /// The same in a group whose members leave when they are too far behind: the others go on without it then.
  CONSUMER_IS_LEFT_BEHIND(4, 4.5),
  /// The applications of all voters take nothing, in such a group: nobody leaves, as that would help nobody.
  CONSUMERS_STAND_STILL(0, 0),
  /// The disk of a member is full, so that its process ends with what it writes next; it comes back when there is room.
  DISK_FULL(5, 3);

  /// How long links take at most to come back one by one, in times of suspicion.
  static final int SLOW_HEAL_UNITS = 8;

  /// How long those that a fault spares deliver nothing at most, besides heartbeats, in times of suspicion.
  static final double SILENCE_MAX = 1.5;

  /// How far an application may be behind in the runs that are about that, in times of suspicion.
  static final double BEHIND_UNITS = 2;

  private static final double SLOW_MAX = 0.5; // where nobody is suspected, and nothing but windows may stop a delivery
  private static final double SEEN_MAX = 0.5; // where the host of a process that crashed refuses its port
  private static final double VIEWS_PER_UNIT = 2.2;
  private static final int TIMES_BEFORE = 4;
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
      case SCATTERED, SCATTERED_AGAIN, SCATTERED_HEAL_SLOWLY -> viewsMax + nodes;
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

  /// Whether it is of one member and its ways, so that all others stay together.
  boolean isOfOne() {
    return switch (this) {
      case SENIOR_CRASHES,
          MEMBER_CRASHES,
          SENIOR_CRASH_SEEN,
          SENIOR_STANDS_STILL,
          MEMBER_STANDS_STILL,
          SENIOR_DEAF,
          MEMBER_DEAF,
          SENIOR_MUTE,
          MEMBER_MUTE,
          SENIOR_ALONE,
          CONSUMER_IS_LEFT_BEHIND,
          DISK_FULL ->
          true;
      default -> false;
    };
  }

  /// Whether it lies between two members that all others hear.
  boolean isOfTwo() {
    return this == ONE_DEAF_TO_ONE || this == TWO_APART;
  }

  /// How long those that it spares deliver nothing at most, besides heartbeats, in times of suspicion, where nobody
  /// doubts first.
  double silenceMax() {
    return switch (this) {
      case SENIOR_CRASH_SEEN -> SEEN_MAX;
      case CONSUMER_STANDS_STILL, CONSUMERS_STAND_STILL -> SLOW_MAX;
      case CONSUMER_IS_LEFT_BEHIND -> BEHIND_UNITS + SLOW_MAX;
      default -> SILENCE_MAX;
    };
  }

  /// Whether anybody is suspected for it.
  boolean isSuspicious() {
    return switch (this) {
      case CONSUMER_STANDS_STILL, CONSUMER_IS_LEFT_BEHIND, CONSUMERS_STAND_STILL -> false;
      default -> true;
    };
  }

  /// Whether it is of applications that take nothing.
  boolean isOfConsumers() {
    return !isSuspicious();
  }

  /// Whether it strikes the member that gives its state to a newcomer.
  boolean isOfDonor() {
    return this == DONOR_CRASHES || this == DONOR_DEAF || this == DONOR_ALONE;
  }

  /// The same group with what the fault needs there.
  Plan in(Plan plan) {
    if (isOfDonor()) {
      return plan.withState();
    }
    return switch (this) {
      case DISK_FULL -> plan.withDisks();
      case CONSUMER_IS_LEFT_BEHIND, CONSUMERS_STAND_STILL -> plan.leavingWhenBehind(BEHIND_UNITS);
      default -> plan;
    };
  }

  /// How long after the end of the fault all are in one primary view at the latest, in times of suspicion.
  double wholeMax() {
    return wholeMax;
  }

  /// How long after its end the group goes on at the latest, in times of suspicion. Whom the part that does so has lost
  /// again and again comes later.
  double primaryMax() {
    return this == SCATTERED_AGAIN ? SCATTERED.wholeMax : wholeMax;
  }

  /// The name in a table.
  ///
  /// @return such as `senior deaf`
  public String words() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /// What happens to a process.
  enum Act {
    /// Nothing but what happens to its links.
    NONE,
    /// It crashes.
    CRASHES,
    /// It stands still.
    STANDS_STILL,
    /// Its application takes nothing.
    TAKES_NOTHING,
    /// No voter's application takes anything.
    VOTERS_TAKE_NOTHING,
    /// Its disk refuses what is written.
    WRITES_NOTHING
  }

  /// What a fault does in one run.
  ///
  /// @param cut    which node's frames do not reach which
  /// @param act    what happens to a process
  /// @param whom   the node of this process
  /// @param later  what is cut from half a time of suspicion later on in addition
  /// @param spared the nodes that have to go on
  record Strike(boolean[][] cut, Act act, int whom, boolean[][] later, List<Integer> spared) {}

  /// Whom it may strike.
  ///
  /// @param ranks  the nodes' numbers by the ranks of their members
  /// @param voting how many of them vote; they come first
  /// @param donor  who gives its state to a newcomer, or -1
  record Targets(int[] ranks, int voting, int donor) {}

  /// Draws whom it strikes.
  ///
  /// @param among  whom it may strike
  /// @param random from which it is drawn
  Strike draw(Targets among, SplittableRandom random) {
    int[] ranks = among.ranks();
    int nodes = ranks.length;
    int senior = ranks[0];
    int member = ranks[random.nextInt(1, nodes)];
    int other = member;
    while (other == member) {
      other = ranks[random.nextInt(nodes)];
    }
    return switch (this) {
      case SENIOR_CRASHES, SENIOR_CRASH_SEEN -> acting(ranks, Act.CRASHES, senior);
      case MEMBER_CRASHES -> acting(ranks, Act.CRASHES, member);
      case DONOR_CRASHES -> acting(ranks, Act.CRASHES, among.donor());
      case SENIOR_STANDS_STILL -> acting(ranks, Act.STANDS_STILL, senior);
      case MEMBER_STANDS_STILL -> acting(ranks, Act.STANDS_STILL, member);
      case CONSUMER_STANDS_STILL, CONSUMER_IS_LEFT_BEHIND ->
          acting(ranks, Act.TAKES_NOTHING, ranks[random.nextInt(among.voting())]);
      case CONSUMERS_STAND_STILL -> acting(ranks, Act.VOTERS_TAKE_NOTHING, senior);
      case DISK_FULL -> acting(ranks, Act.WRITES_NOTHING, ranks[random.nextInt(among.voting())]);
      case SENIOR_DEAF -> cutting(Shape.deaf(nodes, senior), but(ranks, senior));
      case MEMBER_DEAF -> cutting(Shape.deaf(nodes, member), but(ranks, member));
      case DONOR_DEAF -> cutting(Shape.deaf(nodes, among.donor()), but(ranks, among.donor()));
      case SENIOR_MUTE -> cutting(Shape.mute(nodes, senior), but(ranks, senior));
      case MEMBER_MUTE -> cutting(Shape.mute(nodes, member), but(ranks, member));
      case SENIOR_ALONE -> cutting(Shape.isolated(nodes, senior), but(ranks, senior));
      case DONOR_ALONE -> cutting(Shape.isolated(nodes, among.donor()), but(ranks, among.donor()));
      case ONE_DEAF_TO_ONE, TWO_APART -> {
        boolean[][] cut = new boolean[nodes][nodes];
        cut[member][other] = true;
        cut[other][member] = this == TWO_APART;
        yield cutting(cut, but(ranks, member, other));
      }
      case PROPOSER_DEAF -> proposer(ranks, member, Shape.deaf(nodes, senior));
      case PROPOSER_MUTE -> proposer(ranks, member, Shape.mute(nodes, senior));
      case TWO_SIDES, TWO_SIDES_HEAL_SLOWLY -> sides(ranks, random);
      case SCATTERED, SCATTERED_AGAIN, SCATTERED_HEAL_SLOWLY -> cutting(all(nodes), List.of());
    };
  }

  private static Strike acting(int[] ranks, Act act, int whom) {
    var none = new boolean[ranks.length][ranks.length];
    return new Strike(none, act, whom, none, but(ranks, whom));
  }

  private static Strike proposer(int[] ranks, int member, boolean[][] later) {
    return new Strike(
        new boolean[ranks.length][ranks.length], Act.CRASHES, member, later, but(ranks, ranks[0], member));
  }

  private static boolean[][] all(int nodes) {
    boolean[][] cut = new boolean[nodes][nodes];
    for (int a = 0; a < nodes; a++) {
      for (int b = 0; b < nodes; b++) {
        cut[a][b] = a != b;
      }
    }
    return cut;
  }

  private static Strike cutting(boolean[][] cut, List<Integer> spared) {
    return new Strike(cut, Act.NONE, -1, new boolean[cut.length][cut.length], spared);
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

  /// How often the same has happened right before.
  int timesBefore() {
    return this == SCATTERED_AGAIN ? TIMES_BEFORE : 0;
  }

  /// Whether links come back one by one.
  boolean healsSlowly() {
    return this == TWO_SIDES_HEAL_SLOWLY || this == SCATTERED_HEAL_SLOWLY;
  }
}
