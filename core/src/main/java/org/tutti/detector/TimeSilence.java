package org.tutti.detector;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.tutti.Invariant;
import org.tutti.MemberId;

/// Suspects a peer that was not heard for a time (time-silence), one detector for all groups of a node.
///
/// It is unreliable in both directions, as every detector is: no protocol's safety rests on it. A suspicion ends when
/// the peer is heard again.
///
/// A process that was itself stopped (SIGSTOP, a long collection) would at its first step suspect everybody for its own
/// silence. The detector therefore watches its own clock: when [#check] comes late, the time that was slept through
/// does not count.
public final class TimeSilence {
  /// When and how late in its life a peer was heard.
  private static final class Heard {
    long at;
    long beat;

    Heard(long at) {
      this.at = at;
    }
  }

  private final long suspectNanos;
  private final long checkNanos;
  private final Map<MemberId, Heard> heard = new LinkedHashMap<>(); // looked up for each packet
  private final SortedSet<MemberId> suspects = new TreeSet<>();
  private long checkedAt = Long.MIN_VALUE;

  /// Makes a detector that watches nobody.
  ///
  /// @param suspectNanos the silence after which a peer is suspected
  /// @param checkNanos   how often [#check] is going to be called
  public TimeSilence(long suspectNanos, long checkNanos) {
    this.suspectNanos = suspectNanos;
    this.checkNanos = checkNanos;
  }

  /// Watches these peers and no others; who is new counts as just heard.
  ///
  /// @param now   the time
  /// @param peers whom to watch
  public void watch(long now, Collection<MemberId> peers) {
    heard.keySet().retainAll(peers);
    suspects.retainAll(peers);
    for (MemberId peer : peers) {
      heard.computeIfAbsent(peer, _ -> new Heard(now));
    }
  }

  /// Something came from a peer.
  ///
  /// @param now  the time
  /// @param peer who sent it
  /// @param beat how many of its heartbeats it had lived when it sent that
  /// @return whether this ended a suspicion
  public boolean heard(long now, MemberId peer, long beat) {
    Heard last = heard.get(peer);
    if (last == null) {
      return false;
    }
    last.at = now;
    last.beat = Math.max(last.beat, beat);
    return !suspects.isEmpty() && suspects.remove(peer);
  }

  /// Looks for silent peers; to be called at the announced pace.
  ///
  /// @param now the time
  /// @return whether anybody is newly suspected
  public boolean check(long now) {
    if (checkedAt != Long.MIN_VALUE && now - checkedAt > 2 * checkNanos) {
      long slept = now - checkedAt - checkNanos;
      heard.values().forEach(last -> last.at = Math.min(now, last.at + slept));
    }
    checkedAt = now;
    boolean changed = false;
    for (Map.Entry<MemberId, Heard> entry : heard.entrySet()) {
      if (now - entry.getValue().at >= suspectNanos) {
        changed |= suspects.add(entry.getKey());
      }
    }
    return changed;
  }

  /// Suspects a peer because somebody who knows says so, until it is heard again.
  ///
  /// @param now  the time
  /// @param peer the peer; nothing happens when it is not watched
  /// @return whether it is newly suspected
  public boolean suspect(long now, MemberId peer) {
    Heard last = heard.get(peer);
    if (last == null) {
      return false;
    }
    last.at = now - suspectNanos;
    return suspects.add(peer);
  }

  /// How long a peer was not heard.
  ///
  /// @param now  the time
  /// @param peer the peer
  /// @return nanoseconds; 0 when it is not watched
  public long silentNanos(long now, MemberId peer) {
    Heard last = heard.get(peer);
    return last == null ? 0 : now - last.at;
  }

  /// How late in its life a peer was heard.
  ///
  /// @param peer the peer
  /// @return the latest heartbeat that came from it; 0 when none has, or it is not watched
  public long beat(MemberId peer) {
    Heard last = heard.get(peer);
    return last == null ? 0 : last.beat;
  }

  /// Whether a peer is suspected now.
  ///
  /// @param peer the peer
  /// @return whether it is watched and silent
  public boolean suspects(MemberId peer) {
    return !suspects.isEmpty() && suspects.contains(peer);
  }

  /// Fails when an invariant does not hold.
  public void check() {
    Invariant.check(heard.keySet().containsAll(suspects), "only who is watched is suspected");
  }
}
