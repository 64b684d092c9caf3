package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tutti.replica.Divergence;
import org.tutti.replica.StateMachine;

/// Whether all replicas have the same state, as far as one of them can tell.
///
/// ```
///  senior  ==== CHECK ====> all            behind it each takes the digest of its state, at position 41
///  n1      ==== DIGEST 41 9f3c ====> all
///  n2      ==== DIGEST 41 9f3c ====> all
///  n3      ==== DIGEST 41 0718 ====> all   everybody sees that n3 differs
/// ```
///
/// All of it is in the history, and a digest comes behind the check that it is of. So a replica that executes its log
/// again compares what it has now with what it said in its earlier life; and one that has got its state from another
/// replica passes over digests of places before.
///
/// Comparing the states of replicas is how those are found that fail arbitrarily (Schneider, ACM Computing Surveys
/// 22(4), 1990, section 3). Here it finds services that are not deterministic, and changes nothing.
final class StateCheck {
  private static final int CHECKS_MAX = 16; // that are remembered, and whose digests are unsaid

  private record Digest(long position, long value) {}

  private static final class Comparison {
    final TreeMap<String, Long> digests = new TreeMap<>(); // by replica
    boolean told;

    boolean differs() {
      return digests.values().stream().distinct().count() > 1;
    }
  }

  private final String self;
  private final StateMachine machine;
  private final ReplicaProtocol.Group group;
  private long every = Long.MAX_VALUE; // nanoseconds
  private long due;
  private Consumer<Divergence> then = _ -> {};
  private final TreeMap<Long, Comparison> comparisons = new TreeMap<>(); // by position
  private final ArrayDeque<Digest> unsaid = new ArrayDeque<>();
  private boolean isVain; // the service gives no digests
  private int members;

  StateCheck(String self, StateMachine machine, ReplicaProtocol.Group group) {
    this.self = self;
    this.machine = machine;
    this.group = group;
  }

  void begin(long nanos, long now, Consumer<Divergence> told) {
    every = nanos;
    due = now + nanos;
    then = told;
  }

  /// So many replicas are there.
  void viewed(int count) {
    members = count;
  }

  /// A message was applied.
  ///
  /// @param sender   who multicast it
  /// @param position behind it
  /// @param kind     of [OrderedMessage]
  /// @param rest     what follows its kind
  /// @param serves   whether this replica takes part now, or only executes the history again
  void applied(String sender, long position, int kind, ByteBuffer rest, boolean serves) {
    if (kind == OrderedMessage.CHECK) {
      check(position, machine.digest(), serves);
    } else if (kind == OrderedMessage.DIGEST) {
      compare(sender, rest.getLong(), rest.getLong());
    }
  }

  private void check(long position, OptionalLong value, boolean serves) {
    isVain = value.isEmpty();
    if (isVain) {
      return;
    }
    comparisons.forEach(this::tell); // whoever has said nothing by now will not be waited for
    var begun = new Comparison();
    begun.digests.put(self, value.getAsLong());
    comparisons.put(position, begun);
    if (comparisons.size() > CHECKS_MAX) {
      comparisons.pollFirstEntry();
    }
    if (serves && unsaid.size() < CHECKS_MAX) {
      unsaid.add(new Digest(position, value.getAsLong()));
    }
  }

  /// What this replica has said is compared, too, as it may have been in an earlier life.
  private void compare(String sender, long position, long value) {
    Comparison at = comparisons.get(position);
    if (at == null) {
      return;
    }
    Long before = at.digests.putIfAbsent(sender, value);
    if (before != null && before != value) {
      at.digests.put(sender + " before its restart", value);
    }
    if (at.digests.size() >= members) {
      tell(position, at);
    }
  }

  private void tell(long position, Comparison at) {
    if (!at.told && at.differs()) {
      at.told = true;
      then.accept(new Divergence(position, at.digests));
    }
  }

  /// Says the own digests, and has the states compared when that is due. A check for which there is no room is left
  /// out.
  ///
  /// @param now    steady time
  /// @param senior whether this replica is the one that begins checks
  void work(long now, boolean senior) {
    while (!unsaid.isEmpty()
        && group.post(OrderedMessage.digest(unsaid.element().position(), unsaid.element().value()))) {
      unsaid.remove();
    }
    if (every < Long.MAX_VALUE && now - due >= 0) {
      due = now + every;
      if (senior && !isVain) {
        group.post(OrderedMessage.check());
      }
    }
  }

  /// Whether a digest is unsaid, as there was no room.
  boolean isWaiting() {
    return !unsaid.isEmpty();
  }
}
