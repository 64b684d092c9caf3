package org.tutti.engine;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.membership.Lineage;
import org.tutti.membership.Terms;

/// How far a member is with leaving. Whoever has left says nothing more, but its last words, perhaps the announcement
/// of the view without it, must arrive before it goes.
final class Departure {
  private @Nullable End end; // once it is wanted
  private boolean asked;
  private boolean departing;
  private long until;
  private List<MemberId> staying = List.of();

  void want(End why) {
    end = why;
  }

  /// Of founders with different settings, who comes together with others leaves.
  void wantUnlessFit(String name, @Nullable Lineage lineage, Terms terms) {
    String difference = lineage == null ? null : terms.group().difference(name, lineage.group());
    if (difference != null) {
      want(new End(End.Cause.REFUSED, difference));
    }
  }

  boolean isWanted() {
    return end != null;
  }

  /// Whether it is time to ask the others, which is done once.
  boolean ask(boolean ready) {
    boolean now = isWanted() && !asked && ready;
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

  End end() {
    return Objects.requireNonNull(end);
  }
}
