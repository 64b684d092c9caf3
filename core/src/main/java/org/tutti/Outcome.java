package org.tutti;

import java.util.concurrent.CompletableFuture;

/// What became of a multicast, as far as its sender knows.
///
/// {@snippet class="ApiExamplesTest" region="outcome"}
///
/// Callers who do not care whether a view change comes between compose with [#settled]:
/// `group.multicast(payload).thenCompose(Outcome::settled)`.
public sealed interface Outcome {
  /// The message has its place in the history: every member that goes on delivers it there, this one too.
  ///
  /// @param position the position, as in [Event.Delivery]; 0 or more
  record Ordered(long position) implements Outcome {}

  /// The message will reach, or has reached, all its receivers that go on, and no position of it is known here: its
  /// service has none, it was multicast to some members, or it was delivered in a branch or while this member was cut
  /// off.
  record Delivered() implements Outcome {}

  /// The message was on its way when this member went to a view that is not primary: whether the history contains it is
  /// not known here. This member keeps it, and a later primary view decides: either the history contains it already,
  /// or it is sent again under its number. So it is delivered once, unless this membership ends before; nobody needs to
  /// multicast it again.
  ///
  /// @param later completes with [Ordered] or [Delivered] when that is known, and with [GroupClosedException] when the
  ///              membership ends before
  record Undecided(CompletableFuture<Outcome> later) implements Outcome {}

  /// The message was on its way to some members when its sender or its receivers were cut off, or went: some of them
  /// may have delivered it, and nothing more will be known. Multicasts to all members never end like this.
  ///
  /// @param words what happened, for people
  record Unknown(String words) implements Outcome {}

  /// The message was not sent, and nobody delivers it.
  ///
  /// @param reason why, for programs
  /// @param words  why, for people
  record Refused(Reason reason, String words) implements Outcome {}

  /// Why a message was not sent.
  enum Reason {
    /// This member's window is full ([MemberConfig#windowBytes()]); only where the caller does not wait.
    WINDOW_FULL,
    /// Multicasts to some members are not possible now: they need a primary view that began with [Ordering#SKEEN] and
    /// keeps it, in a group without domain.
    NOT_ORDERED,
    /// A destination is not in the view.
    NOT_MEMBERS
  }

  /// The outcome that does not change any more: this one, or the one that follows on [Undecided].
  ///
  /// @return for [Undecided] what its `later` is; complete for all others
  default CompletableFuture<Outcome> settled() {
    return this instanceof Undecided(CompletableFuture<Outcome> later)
        ? later
        : CompletableFuture.completedFuture(this);
  }
}
