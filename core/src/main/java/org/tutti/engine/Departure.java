package org.tutti.engine;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.tutti.Durability;
import org.tutti.End;
import org.tutti.MemberId;
import org.tutti.Partitions;
import org.tutti.membership.Lineage;

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

  /// A member whose configuration does not go with the group's history leaves.
  void wantUnlessFit(@Nullable Lineage lineage, Terms terms) {
    if (lineage == null) {
      return;
    }
    if (!lineage.stateful() && terms.group().stateTransfer()) {
      refuse("this member asks for state transfer, and the group was founded without");
    }
    if (lineage.stateful() && !terms.group().stateTransfer() && terms.durability() != Durability.NONE) {
      refuse(
          "this member asks for durability without state transfer, and who is in this group without it observes only");
    }
    if (!Objects.equals(lineage.domain(), terms.group().domain())) {
      refuse("this member asks for domain " + terms.group().domain() + ", and the group's is " + lineage.domain());
    }
    if (terms.durability() != Durability.NONE && lineage.partitions() == Partitions.CONTINUE) {
      refuse("this member asks for durability, and the group was founded to go on in partitions");
    }
  }

  private void refuse(String words) {
    want(new End(End.Cause.REFUSED, words));
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
