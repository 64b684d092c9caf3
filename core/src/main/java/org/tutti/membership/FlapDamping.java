package org.tutti.membership;

import java.time.Duration;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tutti.MemberId;

/// Who falls out of the view again and again, because it is heard by some and not by others, is not taken in again at
/// once each time: the pause doubles. Otherwise one link that works in one direction only would cost the whole group a
/// view change for each time of suspicion.
final class FlapDamping {
  private static final int DOUBLINGS_MAX = 4; // up to 8 times of suspicion
  private static final int FORGET_FACTOR = 24;
  private static final int MEMBERS_MAX = 64;

  private record Fall(int times, long at) {}

  private final long unitNanos;
  private final Map<MemberId, Fall> falls = new LinkedHashMap<>(); // the longest ago first

  FlapDamping(Duration suspectAfter) {
    this.unitNanos = suspectAfter.toNanos();
  }

  /// Members have fallen out of the view.
  void fell(Collection<MemberId> members, long now) {
    for (MemberId member : members) {
      Fall before = falls.remove(member);
      boolean again = before != null && now - before.at < FORGET_FACTOR * unitNanos;
      falls.put(member, new Fall(again ? Math.min(before.times + 1, DOUBLINGS_MAX + 1) : 1, now));
    }
    Iterator<MemberId> oldest = falls.keySet().iterator();
    while (falls.size() > MEMBERS_MAX) {
      oldest.next();
      oldest.remove();
    }
  }

  /// Whether a member may be taken in.
  boolean admits(MemberId member, long now) {
    Fall last = falls.get(member);
    long pause = last == null || last.times == 1 ? 0 : unitNanos << (last.times - 2);
    return last == null || now - last.at >= pause;
  }
}
