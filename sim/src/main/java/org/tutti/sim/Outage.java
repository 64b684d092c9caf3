package org.tutti.sim;

/// One fault that lasts, of one member or of the way between two, in a group of five in [CostMeasurement#outage]: how
/// long those that it does not touch deliver nothing. In a group that multicasts the senior member, rank 0, coordinates
/// view changes and places batches.
public enum Outage {
  /// The senior member crashes.
  SENIOR_CRASHES,
  /// The senior member hears nobody, but is heard.
  SENIOR_DEAF,
  /// Nobody hears the senior member, but it hears all.
  SENIOR_MUTE,
  /// The senior member reaches nobody, nor anybody it.
  SENIOR_CUT_OFF,
  /// The next in seniority does not hear the senior member.
  SECOND_DEAF_TO_SENIOR,
  /// The senior member does not hear the next one.
  SENIOR_DEAF_TO_SECOND,
  /// A member crashes.
  MEMBER_CRASHES,
  /// A member hears nobody, but is heard.
  MEMBER_DEAF,
  /// Nobody hears a member, but it hears all.
  MEMBER_MUTE,
  /// A member does not hear the senior one.
  MEMBER_DEAF_TO_SENIOR,
  /// The senior member does not hear a member.
  SENIOR_DEAF_TO_MEMBER,
  /// A member does not hear another one.
  MEMBER_DEAF_TO_MEMBER,
  /// Two members do not reach each other.
  MEMBERS_APART,
  /// A member crashes, and the senior one, which changes the view, hears nobody from half a time of suspicion later.
  PROPOSER_DEAF,
  /// The same, but nobody hears the senior one.
  PROPOSER_MUTE;

  private static final int MEMBER = 2;
  private static final int OTHER = 3;
  private static final int CRASHED = 4;

  /// Whether a member is not touched, so that it has to go on.
  boolean spares(int rank) {
    return switch (this) {
      case SENIOR_CRASHES, SENIOR_DEAF, SENIOR_MUTE, SENIOR_CUT_OFF -> rank != 0;
      case SECOND_DEAF_TO_SENIOR, SENIOR_DEAF_TO_SECOND -> rank > 1;
      case MEMBER_CRASHES, MEMBER_DEAF, MEMBER_MUTE -> rank != MEMBER;
      case MEMBER_DEAF_TO_SENIOR, SENIOR_DEAF_TO_MEMBER -> rank != 0 && rank != MEMBER;
      case MEMBER_DEAF_TO_MEMBER, MEMBERS_APART -> rank != MEMBER && rank != OTHER;
      case PROPOSER_DEAF, PROPOSER_MUTE -> rank != 0 && rank != CRASHED;
    };
  }

  /// Begins it.
  void begin(Network network, SimulatedNode[] nodes) {
    switch (this) {
      case SENIOR_CRASHES -> nodes[0].pause(); // who never goes on has crashed
      case SENIOR_DEAF -> deafen(network, nodes, 0);
      case SENIOR_MUTE -> silence(network, nodes, 0);
      case SENIOR_CUT_OFF -> {
        deafen(network, nodes, 0);
        silence(network, nodes, 0);
      }
      case SECOND_DEAF_TO_SENIOR -> cut(network, nodes, 0, 1);
      case SENIOR_DEAF_TO_SECOND -> cut(network, nodes, 1, 0);
      case MEMBER_CRASHES -> nodes[MEMBER].pause();
      case MEMBER_DEAF -> deafen(network, nodes, MEMBER);
      case MEMBER_MUTE -> silence(network, nodes, MEMBER);
      case MEMBER_DEAF_TO_SENIOR -> cut(network, nodes, 0, MEMBER);
      case SENIOR_DEAF_TO_MEMBER -> cut(network, nodes, MEMBER, 0);
      case MEMBER_DEAF_TO_MEMBER -> cut(network, nodes, OTHER, MEMBER);
      case MEMBERS_APART -> {
        cut(network, nodes, MEMBER, OTHER);
        cut(network, nodes, OTHER, MEMBER);
      }
      case PROPOSER_DEAF, PROPOSER_MUTE -> nodes[CRASHED].pause();
    }
  }

  /// Whether its last part comes half a time of suspicion after the first.
  boolean isTwofold() {
    return this == PROPOSER_DEAF || this == PROPOSER_MUTE;
  }

  /// What comes half a time of suspicion later.
  void goOn(Network network, SimulatedNode[] nodes) {
    if (this == PROPOSER_DEAF) {
      deafen(network, nodes, 0);
    } else if (this == PROPOSER_MUTE) {
      silence(network, nodes, 0);
    }
  }

  private static void deafen(Network network, SimulatedNode[] nodes, int rank) {
    for (int other = 0; other < nodes.length; other++) {
      if (other != rank) {
        cut(network, nodes, other, rank);
      }
    }
  }

  private static void silence(Network network, SimulatedNode[] nodes, int rank) {
    for (int other = 0; other < nodes.length; other++) {
      if (other != rank) {
        cut(network, nodes, rank, other);
      }
    }
  }

  private static void cut(Network network, SimulatedNode[] nodes, int from, int to) {
    network.link(nodes[from].number, nodes[to].number).cut(true);
  }
}
