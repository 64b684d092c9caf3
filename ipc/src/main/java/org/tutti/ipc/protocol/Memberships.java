package org.tutti.ipc.protocol;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.tutti.Invariant;
import org.tutti.MemberId;
import org.tutti.ipc.GroupId;
import org.tutti.ipc.protocol.MembershipMessage.First;
import org.tutti.ipc.protocol.MembershipMessage.Known;
import org.tutti.ipc.protocol.MembershipMessage.Last;
import org.tutti.ipc.protocol.MembershipMessage.Whole;

/// Which groups have members at this host and, as far as they have said, at the others: so a message goes to no host
/// that has no members for it, and a group without members costs nothing. Deterministic; no thread, no clock.
///
/// Guarantee: when a join has been told to its caller, each host that heard this one when it began, and was heard,
/// sends the group's messages here, until one of the two loses the other, or unless it did not answer in time. A host
/// that has not said what it has, or has too much to say, gets all messages.
///
/// ```
///   host A                                       host B, which hears A anew
///     | <------ Whole(version 4, asking) --------- |
///     | ------- Whole, Known(4) ---------------->  |  join(G): the first member
///     | <------ First(version 5, G) -------------- |
///     | ------- Known(5) ----------------------->  |  the join has been told
/// ```
///
/// Why it holds: links keep the order, and lose messages only when one side loses the other. The side that hears the
/// other one anew says all that it has and asks; so what was lost is said again, and what is asked for comes after it.
///
/// Source: none in T-Shoshin, where each message is broadcast to all hosts, and all answer.
final class Memberships {
  /// How many groups a host lists for the others at most.
  static final int LISTED_MAX = 1024;

  /// How many joins wait for other hosts at most.
  static final int WAITING_MAX = 1024;

  /// A group with members here.
  private static final class Own {
    final long version; // at which the others were told
    int members;

    Own(long version) {
      this.version = version;
    }
  }

  /// A join that waits until these hosts know.
  private record Waiting(long version, Set<MemberId> hosts, long deadline, Runnable then) {}

  private final long acknowledgeNanos;
  private final IpcProtocol.Port port;
  private final Later later;

  private final Map<GroupId, Own> groups = new LinkedHashMap<>(); // with members here
  private boolean isListed = true; // the others are told the groups, which are not too many
  private long version; // of the last change that the others were told
  private final Map<MemberId, Long> known = new TreeMap<>(); // up to which version other hosts know
  private final Map<MemberId, Set<GroupId>> others = new TreeMap<>(); // of hosts that have said what they have
  private final List<Waiting> waiting = new ArrayList<>();

  Memberships(long acknowledgeNanos, IpcProtocol.Port port, Later later) {
    this.acknowledgeNanos = acknowledgeNanos;
    this.port = port;
    this.later = later;
  }

  // ---- this host ---------------------------------------------------------------------------------------------------

  /// A process has become a member.
  void joined(GroupId group) {
    Own own = groups.get(group);
    if (own == null) {
      if (isListed) {
        version++;
        isListed = groups.size() < LISTED_MAX;
        port.send(port.hosts(), isListed ? new First(version, group) : whole(false));
      }
      own = new Own(version);
      groups.put(group, own);
    }
    own.members++;
  }

  /// A member has left, or has ended.
  void left(GroupId group) {
    Own own = groups.get(group);
    if (--own.members > 0) {
      return;
    }
    groups.remove(group);
    if (isListed) {
      version++;
      port.send(port.hosts(), new Last(version, group));
    } else if (groups.size() <= LISTED_MAX / 2) {
      isListed = true;
      version++;
      port.send(port.hosts(), whole(false));
    }
  }

  boolean has(GroupId group) {
    return groups.containsKey(group);
  }

  /// Whether so many joins wait that another one cannot.
  boolean isFull() {
    return waiting.size() >= WAITING_MAX;
  }

  /// Runs something when the hosts that are heard know that a group has members here, or when those that do not answer
  /// have had their time.
  void whenKnown(GroupId group, Runnable then) {
    Own own = groups.get(group);
    Set<MemberId> hosts = new LinkedHashSet<>();
    if (own != null) {
      hosts.addAll(port.hosts());
      hosts.removeIf(host -> known.getOrDefault(host, -1L) >= own.version);
    }
    if (hosts.isEmpty()) {
      later.add(then);
    } else {
      waiting.add(new Waiting(own.version, hosts, port.now() + acknowledgeNanos, then));
    }
    later.run();
  }

  private Whole whole(boolean isAsking) {
    return new Whole(version, isAsking, isListed, isListed ? List.copyOf(groups.keySet()) : List.of());
  }

  // ---- other hosts, and time ---------------------------------------------------------------------------------------

  /// Whether a message to a group has to go to a host.
  boolean mayHave(MemberId host, GroupId group) {
    Set<GroupId> its = others.get(host);
    return its == null || its.contains(group);
  }

  /// A host is heard that was not.
  void heard(MemberId host) {
    port.send(Set.of(host), whole(true));
  }

  /// A host is not heard any more.
  void lost(MemberId host) {
    others.remove(host);
    known.remove(host);
    for (Waiting one : waiting) {
      one.hosts.remove(host);
    }
    finish();
  }

  /// Handles a message of another host.
  void arrived(MemberId from, MembershipMessage message) {
    switch (message) {
      case Whole(long at, boolean isAsking, boolean listed, List<GroupId> all) -> {
        if (listed) {
          others.put(from, new HashSet<>(all));
        } else {
          others.remove(from);
        }
        if (isAsking) {
          port.send(Set.of(from), whole(false));
        }
        port.send(Set.of(from), new Known(at));
      }
      case First(long at, GroupId group) -> {
        Set<GroupId> its = others.get(from);
        if (its != null && its.add(group) && its.size() > LISTED_MAX) {
          others.remove(from);
        }
        port.send(Set.of(from), new Known(at));
      }
      case Last(long _, GroupId group) -> {
        Set<GroupId> its = others.get(from);
        if (its != null) {
          its.remove(group);
        }
      }
      case Known(long upTo) -> {
        known.merge(from, Math.min(upTo, version), Math::max);
        for (Waiting one : waiting) {
          if (one.version <= upTo) {
            one.hosts.remove(from);
          }
        }
        finish();
      }
    }
    later.run();
  }

  /// Does what is due.
  void tick() {
    for (Waiting one : waiting) {
      if (one.deadline <= port.now()) {
        one.hosts.clear();
      }
    }
    finish();
  }

  private void finish() {
    waiting.removeIf(one -> {
      if (one.hosts.isEmpty()) {
        later.add(one.then);
      }
      return one.hosts.isEmpty();
    });
  }

  /// When [#tick] is wanted next.
  ///
  /// @return the time, or [Long#MAX_VALUE]
  long deadline() {
    long deadline = Long.MAX_VALUE;
    for (Waiting one : waiting) {
      deadline = Math.min(deadline, one.deadline);
    }
    return deadline;
  }

  /// Fails when an invariant does not hold.
  void check() {
    Invariant.check(!isListed || groups.size() <= LISTED_MAX, "the groups that a host lists are bounded");
    Invariant.check(waiting.size() <= WAITING_MAX, "joins that wait for other hosts are bounded");
    for (Own own : groups.values()) {
      Invariant.check(own.members > 0 && own.version <= version, "a group that has members was told");
    }
    for (Waiting one : waiting) {
      Invariant.check(!one.hosts.isEmpty(), "a join waits for somebody");
    }
    for (Set<GroupId> its : others.values()) {
      Invariant.check(its.size() <= LISTED_MAX, "the groups of another host are bounded");
    }
  }
}
