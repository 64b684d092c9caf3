package org.tutti;

/// How a member's multicasts reach the others. Each member of a group chooses for itself; it changes how fast messages
/// travel, never their order or what is promised of them.
public enum Dissemination {
  /// The sender sends everything to every other member. The shortest way; but of n members the sender's line carries
  /// each message n - 1 times.
  STAR,
  /// The sender sends to one member, which passes it on to the next, and so on: every line carries a message once,
  /// however many members there are, and the last member gets it n - 1 steps after it was sent. A member that is slow
  /// holds up those behind it. After Guerraoui, Levy, Pochon and Quéma, *Throughput optimal total order broadcast for
  /// cluster environments*, ACM TOCS 28(2), 2010, which forms a ring of the members.
  CHAIN,
  /// The sender sends to the most senior member of the view only, which sends it to all others, with its place if it is
  /// the fixed sequencer: the sender's line carries a message once, and the senior member's line n - 2 times. For
  /// members on a slow line, beside a senior member on a fast one. It saves nothing with two members, and nothing at
  /// the most senior member, which sends as a star. A message takes as many steps as in a star; with [Ordering#SKEEN]
  /// and [Ordering#SYMMETRIC], in which all have to answer, one step more. The asymmetric protocol of Morgan and
  /// Ezhilchelvan, *Policies for using Replica Groups and their effectiveness over the Internet* (NewTop).
  RELAY,
  /// As a star while the sender's line keeps up, and as a chain while what it sends waits in its line: the sender
  /// measures how much longer packets to every other member take than they did at best.
  AUTO
}
