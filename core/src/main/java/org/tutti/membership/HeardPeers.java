package org.tutti.membership;

import org.tutti.MemberId;

/// What a node itself has heard of others.
public interface HeardPeers {
  /// Whether a member was not heard for the time of suspicion.
  ///
  /// @param member any
  /// @return whether it is silent; not when nobody listens to it
  boolean isSilent(MemberId member);

  /// How late in its life a member was heard.
  ///
  /// @param member any
  /// @return its latest heartbeat that came; 0 for none; of oneself, the one that goes on
  long beat(MemberId member);

  /// How long ago a member was heard.
  ///
  /// @param member any
  /// @return nanoseconds; 0 for oneself, and for whom nobody listens to
  long agoNanos(MemberId member);
}
