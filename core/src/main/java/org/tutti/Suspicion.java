package org.tutti;

/// What a member does when it has not heard another one for the time of suspicion. Each member of a group chooses
/// for itself.
public enum Suspicion {
  /// It counts as gone at once: the next view is without it. A crash is noticed soonest.
  STABLE,
  /// It is doubted first: the others are asked, and one that has heard it later refutes that for the whole group. So a
  /// member that lives, but is slow or cut off for one observer only (a *virtual failure*), stays in the view.
  /// Noticing a crash takes half a time of suspicion more. Who stays silent for one observer is gone after
  /// [MemberConfig#refutedMax()], refuted or not: a group cannot go on for ever in which two do not reach each other.
  REFUTABLE
}
