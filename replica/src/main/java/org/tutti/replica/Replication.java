package org.tutti.replica;

/// Who executes the commands of a replicated service.
///
/// All replicas of a service are started with the same one; a replica that was started with the other one ends
/// ([Replica#ended]) as soon as it learns what the service has.
///
/// Source: the attribute R of Newcastle's policies (*Policies for using Replica Groups and their effectiveness over the
/// Internet*, section 2).
public enum Replication {
  /// One replica, the primary, executes a command and multicasts the change of the state together with the reply; the
  /// others, the backups, apply the change. The service may draw random numbers and read clocks. Needs a
  /// [PassiveStateMachine].
  PASSIVE,
  /// Every replica executes every command, so the service has to be deterministic.
  ACTIVE
}
