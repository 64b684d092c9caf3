package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.tutti.replica.Divergence;
import org.tutti.replica.StateComparison;
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
/// A check is begun by the most senior replica now and then, and by any replica whose client asks for a comparison, at
/// most once a second. Who asks gets the digests of all in the view, or after a while those that have come.
///
/// Comparing the states of replicas is how those are found that fail arbitrarily (Schneider, ACM Computing Surveys
/// 22(4), 1990, section 3). Here it finds services that are not deterministic, and changes nothing.
final class StateCheck {
  private static final int CHECKS_MAX = 16; // that are remembered, and whose digests are unsaid
  private static final int ASKS_MAX = 16; // of one client
  static final long ASKED_EVERY_NANOS = 1_000_000_000; // a check takes all replicas the digest of their whole state
  static final long ANSWER_NANOS = 5_000_000_000L; // then an answer is given without those that have said nothing

  private record Digest(long position, long value) {}

  private static final class Comparison {
    final TreeMap<String, Long> digests = new TreeMap<>(); // by replica
    boolean told;

    boolean differs() {
      return digests.values().stream().distinct().count() > 1;
    }
  }

  /// Somebody wants to know what a comparison finds.
  private static final class Ask {
    final Object client;
    final long id;
    final Consumer<StateComparison> then;
    final long until;
    long position; // of the check that answers it; 0 before there is one

    Ask(Object client, long id, Consumer<StateComparison> then, long until) {
      this.client = client;
      this.id = id;
      this.then = then;
      this.until = until;
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
  private final List<Ask> asks = new ArrayList<>();
  private long askedAt; // when a check was begun for them last
  private boolean isVain; // the service gives no digests
  private List<String> members = List.of();

  /// @param now steady time
  StateCheck(String self, StateMachine machine, ReplicaProtocol.Group group, long now) {
    this.askedAt = now - ASKED_EVERY_NANOS;
    this.self = self;
    this.machine = machine;
    this.group = group;
  }

  void begin(long nanos, long now, Consumer<Divergence> told) {
    every = nanos;
    due = now + nanos;
    then = told;
  }

  /// These replicas are there.
  void viewed(List<String> names) {
    members = names;
    settle(_ -> false);
  }

  /// A client wants to know what the next comparison finds.
  ///
  /// @param client who asks
  /// @param id     its number for it; asking again with the same one changes nothing
  /// @param now    steady time
  /// @param then   told it, once
  /// @return false when too many of the client's wait
  boolean ask(Object client, long id, long now, Consumer<StateComparison> then) {
    List<Ask> its = asks.stream().filter(ask -> ask.client == client).toList();
    if (its.stream().noneMatch(ask -> ask.id == id)) {
      asks.add(new Ask(client, id, then, now + ANSWER_NANOS));
    }
    return its.size() < ASKS_MAX;
  }

  /// The client does not want to know it any more.
  void withdraw(Object client, long id) {
    asks.removeIf(ask -> ask.client == client && ask.id == id);
  }

  /// The client has gone.
  void forget(Object client) {
    asks.removeIf(ask -> ask.client == client);
  }

  /// Answers those whose comparison is complete, and those that are not to wait any more.
  private void settle(Predicate<Ask> without) {
    for (Ask ask : List.copyOf(asks)) {
      Comparison at = comparisons.get(ask.position);
      TreeMap<String, Long> digests = at == null ? new TreeMap<>() : at.digests;
      boolean vain = isVain && ask.position > 0; // then nobody is silent
      List<String> silent = members.stream().filter(name -> !vain && !digests.containsKey(name)).toList();
      if (at != null && silent.isEmpty() || without.test(ask)) {
        asks.remove(ask);
        ask.then.accept(new StateComparison(ask.position, digests, silent));
      }
    }
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
    asks.stream().filter(ask -> ask.position == 0).forEach(ask -> ask.position = position);
    if (isVain) {
      settle(_ -> true);
      return;
    }
    comparisons.forEach(this::tell); // whoever has said nothing by now will not be waited for
    var begun = new Comparison();
    begun.digests.put(self, value.getAsLong());
    comparisons.put(position, begun);
    if (comparisons.size() > CHECKS_MAX) {
      long first = comparisons.firstKey();
      settle(ask -> ask.position == first);
      comparisons.remove(first);
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
    if (at.digests.keySet().containsAll(members)) {
      tell(position, at);
    }
    settle(_ -> false);
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
    if (!asks.isEmpty()) {
      boolean wanted = asks.stream().anyMatch(ask -> ask.position == 0);
      if (wanted && now - askedAt >= ASKED_EVERY_NANOS && group.post(OrderedMessage.check())) {
        askedAt = now;
      }
      settle(ask -> now - ask.until >= 0);
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
