package org.tutti.sim.check;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.tutti.MemberId;

/// Which members were restarted from the stable storage that an earlier life of their name had left.
final class Restarts {
  private final Map<MemberId, MemberId> earlier = new TreeMap<>();

  Restarts(History history) {
    for (HistoryEvent event : history.events()) {
      if (event instanceof HistoryEvent.Restarted restarted) {
        earlier.put(history.members().get(restarted.member()), history.members().get(restarted.earlier()));
      } else if (event instanceof HistoryEvent.Forced forced) {
        earlier.put(history.members().get(forced.member()), history.members().get(forced.earlier()));
      }
    }
  }

  /// Whether a member is another one, or has come out of it by restarts.
  boolean isLaterLifeOf(MemberId life, MemberId member) {
    for (@Nullable MemberId at = life; at != null; at = earlier.get(at)) {
      if (at.equals(member)) {
        return true;
      }
    }
    return false;
  }
}
