package org.tutti.sim.exhaustive;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.tutti.MemberId;
import org.tutti.Ordering;
import org.tutti.View;
import org.tutti.ViewId;
import org.tutti.dissemination.Transmission.Way;
import org.tutti.membership.DynamicLinearVoting;
import org.tutti.transport.Address;

/// A bounded world: everything in it that can happen is looked at.
///
/// @param ordering who decides the order
/// @param members  how many there are
/// @param messages how many they multicast at most, together, whoever of them
/// @param fault    what goes wrong, once, at any moment or never
/// @param runs     how long a run of inputs is
/// @param ways     how batches reach the others
public record BoundedModel(Ordering ordering, int members, int messages, Fault fault, Runs runs, Ways ways) {
  static final int MEMBERS_MAX = 3;
  static final int MESSAGES_MAX = 15; // four bits in a state

  /// What goes wrong.
  public enum Fault {
    /// Nothing; then all that is multicast must be delivered by all.
    NONE,
    /// A member stops for good, perhaps in the middle of a broadcast; the others may change the view without it.
    CRASH,
    /// A member goes on, but the others may change the view without it.
    SUSPICION,
    /// Nobody is missing, but the view changes.
    CHANGE
  }

  /// How many inputs a member takes before it says what follows from them.
  public enum Runs {
    /// One or more, in all ways.
    ANY,
    /// Always one.
    ONE
  }

  /// How batches reach the others.
  public enum Ways {
    /// From their sender.
    STAR(Way.STAR),
    /// From member to member.
    CHAIN(Way.CHAIN),
    /// Through the most senior member.
    RELAY(Way.RELAY),
    /// As a star or along the chain, at each multicast.
    EITHER(Way.STAR, Way.CHAIN),
    /// Along the chain or through the most senior member, at each multicast.
    INDIRECT(Way.CHAIN, Way.RELAY);

    final List<Way> all;

    Ways(Way... all) {
      this.all = List.of(all);
    }
  }

  /// Checks the bounds.
  public BoundedModel {
    if (members < 2 || members > MEMBERS_MAX || messages < 1 || messages > MESSAGES_MAX) {
      throw new IllegalArgumentException("2 or 3 members, 1 to 15 messages: " + members + ", " + messages);
    }
  }

  BoundedModel withMessages(int fewer) {
    return new BoundedModel(ordering, members, fewer, fault, runs, ways);
  }

  View view() {
    List<MemberId> all = new ArrayList<>();
    for (int rank = 0; rank < members; rank++) {
      String name = String.valueOf((char) ('a' + rank));
      all.add(new MemberId(name, new Address(name), 1));
    }
    return new View(new ViewId(1, 0), all, true, List.of());
  }

  boolean isQuorum(IntPredicate ranks) {
    return new DynamicLinearVoting().isQuorum(view(), ranks);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-10s %7d %8d  %-9s %-4s %-8s",
        ordering.name().toLowerCase(Locale.ROOT),
        members,
        messages,
        fault.name().toLowerCase(Locale.ROOT),
        runs.name().toLowerCase(Locale.ROOT),
        ways.name().toLowerCase(Locale.ROOT));
  }
}
