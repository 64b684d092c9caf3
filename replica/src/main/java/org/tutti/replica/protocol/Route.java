package org.tutti.replica.protocol;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/// Which replica a client goes to next, when, and for how long it tries.
///
/// ```
///  a left  -> b   at once, for a quarter of the silence
///  b fails -> c   at once
///  c fails -> a   after some 10 ms, and for half of the silence; then after some 20 ms, and for all of it; and so on
/// ```
final class Route {
  static final long BACKOFF_NANOS_MAX = 1_000_000_000;

  private static final long BACKOFF_NANOS_MIN = 10_000_000;
  private static final int HURRIED_ROUNDS = 2; // with a quarter of the silence, and with half of it

  private final List<String> contacts;
  private final long silenceNanos;
  private final ClientProtocol.Host host;

  private List<String> found = List.of(); // by a discovery, last
  List<String> replicas = List.of(); // that are there, as one of them has told last
  private @Nullable String at; // the replica that the client is connected to, or was last
  private @Nullable String wanted; // to go to next
  private int failures; // attempts in a row that did not lead to service

  Route(Collection<String> contacts, long silenceNanos, ClientProtocol.Host host) {
    this.contacts = List.copyOf(contacts);
    this.silenceNanos = silenceNanos;
    this.host = host;
  }

  /// A replica that does not serve has told of others.
  void tell(List<String> others) {
    replicas = others.isEmpty() ? replicas : others;
  }

  /// A discovery has told of others: the first one that is new is where the client goes next.
  ///
  /// @return whether there is a new one
  boolean found(List<String> addresses) {
    List<String> before = candidates();
    String added = addresses.stream().filter(one -> !before.contains(one)).findFirst().orElse(null);
    found = List.copyOf(addresses);
    wanted = added == null ? wanted : added;
    return added != null;
  }

  /// Whether all candidates were tried since one of them has served, once or several times.
  boolean isExhausted() {
    return failures % Math.max(1, candidates().size()) == 0;
  }

  void wish(String replica) {
    wanted = replica;
  }

  @Nullable String at() {
    return at;
  }

  /// The replica has done something for the client.
  void served() {
    failures = 0;
  }

  /// The client has left its replica, or does not get there.
  ///
  /// @return when to go to the next one: to all others at once, and only when none of them serves, after a while
  long left() {
    failures++;
    int round = round();
    long most = Math.min(BACKOFF_NANOS_MAX, BACKOFF_NANOS_MIN << Math.min(10, round));
    return host.nanos() + (round == 0 ? 0 : most / 2 + host.random().nextLong(most / 2));
  }

  private int round() {
    return failures / Math.max(1, candidates().size());
  }

  /// Where the client may go.
  List<String> candidates() {
    SequencedSet<String> candidates = new LinkedHashSet<>(replicas);
    candidates.addAll(contacts);
    candidates.addAll(found);
    return List.copyOf(candidates);
  }

  /// The client goes to the next one.
  ///
  /// @return its address
  String next() {
    List<String> candidates = candidates();
    String to = wanted;
    wanted = null;
    if (to == null || !candidates.contains(to)) {
      int last = at == null ? -1 : candidates.indexOf(at);
      int next = last < 0 ? host.random().nextInt(candidates.size()) : (last + 1) % candidates.size();
      to = candidates.get(next);
    }
    at = to;
    return to;
  }

  /// How long a replica may take to answer a client that comes. Who left one for its silence has waited already, and
  /// others may be cut off like it: so it asks each of them for a shorter time first, but for the whole silence in the
  /// end, as all may be far or slow.
  long patienceNanos() {
    int round = round();
    boolean hurries = failures > 0 && round < HURRIED_ROUNDS;
    return hurries ? silenceNanos >> (HURRIED_ROUNDS - round) : silenceNanos;
  }
}
