package org.tutti.membership;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;
import org.tutti.ViewId;
import org.tutti.transport.Address;

/// The parts of a group that a coordinator has met after a split, until it takes them in, all at once.
///
/// When a split ends, all parts meet within a heartbeat, in any order, and each would take in the first one that knows
/// less. Their proposals then overtake each other: whom one has asked goes with another one, and the rest of its
/// members are left behind. So the coordinator that knows most waits for the others: until all that were lost have
/// come, and two heartbeats at most, within which it has called all itself and they have answered. Whoever has met one
/// that knows more leaves it to that one, for half a time of suspicion, as that one may be deaf or have crashed, and
/// until that one shows that it knows less by now. It passes on to it whom else it meets, each once in a heartbeat: two
/// that wait for each other, for as long as neither has heard of it, would otherwise send the same ones to and fro.
final class MergeCandidates {
  /// What decides which of two views takes in the other one: a primary one, one whose coordinator votes, the one that
  /// knows the later primary view, the one with the higher id.
  ///
  /// @param isPrimary whether it is primary
  /// @param isVoter   whether its coordinator votes
  /// @param primary   the latest primary view that it knows, or null
  /// @param id        its id
  record Precedence(boolean isPrimary, boolean isVoter, @Nullable ViewId primary, ViewId id)
      implements Comparable<Precedence> {
    @Override
    public int compareTo(Precedence other) {
      int byKind = Boolean.compare(isPrimary, other.isPrimary);
      int byVote = byKind != 0 ? byKind : Boolean.compare(isVoter, other.isVoter);
      int byHistory = byVote != 0 ? byVote : compare(primary, other.primary);
      return byHistory != 0 ? byHistory : id.compareTo(other.id);
    }

    private static int compare(@Nullable ViewId one, @Nullable ViewId other) {
      if (one == null || other == null) {
        return Boolean.compare(one != null, other != null);
      }
      return one.compareTo(other);
    }
  }

  private record Better(MemberId coordinator, Precedence precedence, long since) {}

  private final long heartbeatNanos;
  private final long suspectNanos;
  private final Set<MemberId> met = new TreeSet<>();
  private long metSince;
  private @Nullable Better better;
  private final SortedMap<MemberId, Long> passed = new TreeMap<>(); // when, within the last heartbeat

  MergeCandidates(long heartbeatNanos, long suspectNanos) {
    this.heartbeatNanos = heartbeatNanos;
    this.suspectNanos = suspectNanos;
  }

  /// Another view was installed: what was met before is met again.
  void clear() {
    met.clear();
    better = null;
    passed.clear();
  }

  /// A part that is to be taken in.
  ///
  /// @param members its members
  /// @param now     the time
  void add(Collection<MemberId> members, long now) {
    if (met.isEmpty()) {
      metSince = now;
    }
    met.addAll(members);
  }

  /// Whether all have been met, or the others had time.
  ///
  /// @param missing the addresses of all that were lost
  /// @param now     the time
  /// @return whether those that were met are to be taken in now
  boolean isDue(Collection<Address> missing, long now) {
    if (met.isEmpty()) {
      return false;
    }
    boolean isAll = missing.stream().allMatch(address -> met.stream().anyMatch(each -> each.address().equals(address)));
    return isAll || now - metSince >= heartbeatNanos + heartbeatNanos / 2;
  }

  /// Hands out those that were met.
  List<MemberId> take() {
    List<MemberId> all = List.copyOf(met);
    met.clear();
    return all;
  }

  /// A view was met that takes in this one. The same one is waited for once.
  ///
  /// @param coordinator who speaks for it
  /// @param precedence    what it knows
  /// @param now         the time
  void leaveTo(MemberId coordinator, Precedence precedence, long now) {
    Better known = better;
    if (known == null || precedence.compareTo(known.precedence) > 0) {
      better = new Better(coordinator, precedence, now);
    }
  }

  /// A view was met that this one takes in.
  ///
  /// @param coordinator who speaks for it, and may have been waited for
  void lead(MemberId coordinator) {
    if (better != null && better.coordinator.equals(coordinator)) {
      better = null;
    }
  }

  /// Whether somebody is to be passed on to the one that is waited for.
  ///
  /// @param coordinator speaks for a view that was met
  /// @param now         the time
  /// @return false within a heartbeat after it was passed on
  boolean passes(MemberId coordinator, long now) {
    passed.values().removeIf(at -> now - at >= heartbeatNanos);
    return passed.putIfAbsent(coordinator, now) == null;
  }

  /// Who takes in all others, if somebody is waited for.
  ///
  /// @param now the time
  /// @return its coordinator, or null
  @Nullable MemberId awaited(long now) {
    Better known = better;
    return known != null && now - known.since < suspectNanos / 2 ? known.coordinator : null;
  }
}
