package org.tutti.engine;

import java.util.List;
import java.util.function.Predicate;
import org.tutti.MemberId;

/// How far a member is with leaving. Whoever has left says nothing more, but its last words, perhaps the announcement
/// of the view without it, must arrive before it goes.
final class Departure {
  private String reason = "left";
  private boolean wanted;
  private boolean asked;
  private boolean departing;
  private long until;
  private List<MemberId> staying = List.of();

  void want() {
    wanted = true;
  }

  void want(String why) {
    wanted = true;
    reason = why;
  }

  boolean isWanted() {
    return wanted;
  }

  /// Whether it is time to ask the others, which is done once.
  boolean ask(boolean ready) {
    boolean now = wanted && !asked && ready;
    asked |= now;
    return now;
  }

  /// The others go on without this member.
  void begin(List<MemberId> others, long deadline) {
    departing = true;
    staying = others;
    until = deadline;
  }

  boolean isDeparting() {
    return departing;
  }

  boolean isOver(long now, Predicate<MemberId> busy) {
    return departing && (now >= until || staying.stream().noneMatch(busy));
  }

  String reason() {
    return reason;
  }
}
