package org.tutti.replica;

/// What a query sees ([Client#query]).
public enum Read {
  /// All that was answered to any client before the query was made, and perhaps more: as if there were one server. It
  /// costs a round trip between the replica and a quorum of the others, which many queries share; no message is
  /// ordered for it. (Ongaro, Consensus: Bridging Theory and Practice, 2014, section 6.4.)
  LINEARIZABLE,

  /// All that was answered to this client before, and perhaps more; what other clients did may be missing. It costs
  /// nothing but the client's own round trip, and waits only where the client has come from a replica that is ahead.
  SEQUENTIAL,

  /// Whatever the replica has, which may be old: it answers even when it is cut off from the others.
  LOCAL
}
