package org.tutti.replica.protocol;

import java.nio.ByteBuffer;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.tutti.Ordering;
import org.tutti.replica.Policy;

/// A client's connection to this replica, as [ReplicaProtocol] knows it.
final class Connection {
  final long id;
  boolean greeted;
  @Nullable Policy policy; // that was agreed on, if it wanted one
  boolean bundles; // the replies of all replicas come over this one
  Frame.@Nullable Live live; // as it was told last, if it collects several replies
  long session; // 0 before it has opened or resumed one
  boolean resumed; // it has said which session it has
  boolean resuming; // and that is not decided yet
  boolean quiet; // gets replies only to what it has asked
  final TreeSet<Long> asked = new TreeSet<>(); // numbers of commands, if it is quiet
  long lost; // the session that it wanted to resume in vain
  long waitingBytes;
  long calls; // in this second
  long callsBefore; // in the last one
  long nonce; // of a session that it asks for, or 0
  boolean heard; // since sessions were touched last
  boolean told; // that this replica does not serve
  @Nullable ByteBuffer held; // a message for which the window has no room

  final TreeMap<Long, ReplyBundles.Bundle> gathered = new TreeMap<>(); // not complete, by the command's number

  Connection(long id) {
    this.id = id;
  }

  /// Whether it may go to any replica, so that these share such clients.
  boolean isShared() {
    return greeted && !quiet && !told && policy == null;
  }

  /// What was agreed on, as it is sent.
  int policyCode() {
    return policy == null ? Frame.NO_POLICY : policy.code();
  }

  /// Agrees on another ordering.
  ///
  /// @return whether it has a policy, and another one now
  boolean agrees(Ordering ordering) {
    Policy its = policy;
    if (its == null || its.ordering() == ordering) {
      return false;
    }
    policy = its.agreed(its.replication(), ordering);
    return true;
  }

  /// Whether its client gets the replies of other replicas over other connections.
  boolean collects() {
    return policy != null && policy.collectsSeveral() && !bundles;
  }
}
