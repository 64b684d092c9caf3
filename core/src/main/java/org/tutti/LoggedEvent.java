package org.tutti;

import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/// A line that a membership has written to the log, and whom it is about.
///
/// {@snippet class="ApiExamplesTest" region="logged"}
///
/// @param at      when it was written, by the clock of this host
/// @param kind    what kind of line it is, as `SUSPECTED`; more kinds may come
/// @param view    the number of the view in which it was written; none before the first one
/// @param members the names of the members that it is about, each once; this member's own only where another one's
///                would be there, too, as in a view that it has joined
/// @param words   a sentence for people, without control characters
public record LoggedEvent(Instant at, String kind, OptionalLong view, List<String> members, String words) {
  /// Copies the members.
  public LoggedEvent {
    members = List.copyOf(members);
  }
}
