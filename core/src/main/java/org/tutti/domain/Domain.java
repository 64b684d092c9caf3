package org.tutti.domain;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.Invariant;

/// This node's groups of one domain: overlapping groups among which order and causality hold as in one.
///
/// A delivery's key is (stamp, group, index), where the stamp is the highest of the batches in its group's history up
/// to it. Keys rise within a group, whatever its ordering, and are the same at all members. This node delivers in the
/// order of keys: a delivery waits until no group of the domain can still have a lower one
/// ([Frontier]). So two members of two groups deliver the messages of both in the same order
/// (multi-group identical order). Who comes into a group is in time there when the group is past what was delivered in
/// the others meanwhile.
///
/// What a process multicasts after it has delivered something is stamped higher than that. What it multicasts after
/// something of its own in another group waits until that has its place, so it, too, comes later at all
/// (multi-group causal precedence).
public final class Domain {
  /// A group of the domain at this node.
  public interface Side {
    /// The lowest stamp that a delivery to come can have.
    ///
    /// @return the stamp
    long bound();

    /// A delivery of another group waits until everybody in this group has passed a stamp.
    ///
    /// @param stamp the stamp
    void ask(long stamp);

    /// Whether this member's deliveries go on; otherwise what comes had been kept back and comes late.
    ///
    /// @return whether they do
    boolean isInTime();

    /// Whether a multicast of this member has no place yet.
    ///
    /// @return whether one has none
    boolean isSending();
  }

  /// The key of a delivery, without its index.
  record Last(long stamp, long group) {}

  private record Waiting(DomainMember member, Runnable add) {}

  private final Map<Long, DomainMember> members = new TreeMap<>();
  private final ArrayDeque<Waiting> outbox = new ArrayDeque<>(); // in the order in which the node multicast
  private @Nullable DomainMember turn;
  private Last last = new Last(0, 0); // what was delivered in time has no higher key

  /// Begins without groups.
  public Domain() {}

  void add(DomainMember member) {
    members.put(member.group(), member);
  }

  void remove(DomainMember member) {
    members.remove(member.group(), member);
    outbox.removeIf(waiting -> waiting.member == member);
    if (turn == member) {
      turn = null;
    }
  }

  /// A member multicasts: at once, or when all that this node has multicast before in other groups has its place.
  void multicast(DomainMember member, Runnable add) {
    if (outbox.isEmpty() && mayGoOn(member)) {
      turn = member;
      add.run();
    } else {
      outbox.add(new Waiting(member, add));
    }
  }

  private boolean mayGoOn(DomainMember member) {
    return turn == null || turn == member || !turn.side().isSending();
  }

  boolean isWaiting(DomainMember member) {
    for (Waiting waiting : outbox) {
      if (waiting.member == member) {
        return true;
      }
    }
    return false;
  }

  /// Delivers what may be delivered, and passes the turn on.
  ///
  /// @return whether anything has changed, so that the groups have to be looked at again
  public boolean settle() {
    boolean any = false;
    boolean more = true;
    while (more) {
      more = false;
      for (DomainMember member : members.values().toArray(DomainMember[]::new)) {
        more |= member.release();
      }
      any |= more;
    }
    return passTurn() | any;
  }

  private boolean passTurn() {
    boolean any = false;
    while (!outbox.isEmpty() && mayGoOn(outbox.getFirst().member)) {
      Waiting next = outbox.removeFirst();
      turn = next.member;
      next.add.run();
      any = true;
    }
    return any;
  }

  /// A delivery in time has passed.
  void delivered(DomainMember member, long stamp) {
    last = new Last(stamp, member.group());
  }

  /// The last delivery that was in time.
  Last last() {
    return last;
  }

  /// Whether no other group can still have a lower key.
  boolean isNext(DomainMember member, long stamp) {
    boolean next = true;
    for (DomainMember other : members.values()) {
      if (other == member) {
        continue;
      }
      long lowest = other.lowest();
      boolean behind = lowest > stamp || lowest == stamp && other.group() > member.group();
      if (!behind) {
        other.askIfIdle(stamp);
        next = false;
      }
    }
    return next;
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Invariant.check(turn == null || members.containsValue(turn), "only a member of the domain has the turn");
    for (Waiting one : outbox) {
      Invariant.check(members.containsValue(one.member), "only members of the domain wait for their turn");
    }
    members.values().forEach(DomainMember::check);
  }
}
